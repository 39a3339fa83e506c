# libcuda.so.1: the driver API. Its functions are in libcudart.so, so that both APIs share one state; libcuda.so.1 is an
# ELF filter, a library with the names whose definitions the loader takes from libcudart.so.

LIBCUDA     := $(B)/cuda/lib64/libcuda.so
LIBCUDA_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard frontend/libcuda/*.c))
LIBCUDA_STUB := $(B)/cuda/lib64/stubs/libcuda.so
ALL += $(LIBCUDA) $(LIBCUDA_STUB)

$(B)/gen/libcuda_aliases.ld: $(LIBCUDA_OBJ) frontend/libcuda/names.sh frontend/libcuda/per_thread.txt
	@mkdir -p $(@D)
	frontend/libcuda/names.sh aliases frontend/libcuda/per_thread.txt $(LIBCUDA_OBJ) > $@

$(B)/gen/libcuda_stubs.c: $(CUDART).11.0 frontend/libcuda/names.sh
	@mkdir -p $(@D)
	frontend/libcuda/names.sh stubs $< > $@

$(LIBCUDA).1: $(B)/gen/libcuda_stubs.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -shared -Wl,-soname,libcuda.so.1 -Wl,--filter,libcudart.so.11.0 -Wl,-rpath,'$$ORIGIN' \
	    $< -o $@ $(LDFLAGS)

$(LIBCUDA): $(LIBCUDA).1
	ln -sf $(<F) $@

# Where build systems look for a library to link with on machines without a driver.
$(LIBCUDA_STUB): $(LIBCUDA).1
	@mkdir -p $(@D)
	ln -sf ../$(<F) $@
