# libcudart.so: the runtime library that CUDA programs link to.  It contains libsimtx, both APIs and the layer below
# them; only the APIs are visible.

CUDART_DIR := session rt rt/graph cudart cudart/graph cudart/texture cudart/releases libcuda
CUDART_SRC := frontend/fatbin/fatbin.c $(wildcard $(CUDART_DIR:%=frontend/%/*.c))
CUDART_OBJ := $(CUDART_SRC:%.c=$(B)/obj/%.o)
CUDART     := $(B)/cuda/lib64/libcudart.so
ALL += $(CUDART)

$(filter-out $(B)/obj/frontend/session/%,$(CUDART_OBJ)): CFLAGS += -fvisibility=hidden

# The functions' names for per-thread default streams.
CUDART_ALIASES := $(B)/gen/cudart_aliases.ld
CUDART_API     := $(filter $(B)/obj/frontend/cudart/%,$(CUDART_OBJ))
$(CUDART_ALIASES): $(CUDART_API) frontend/libcuda/names.sh frontend/cudart/per_thread.txt
	@mkdir -p $(@D)
	frontend/libcuda/names.sh aliases frontend/cudart/per_thread.txt $(CUDART_API) > $@

$(CUDART).11.0: $(CUDART_OBJ) $(B)/lib/libsimtx.a frontend/cudart/cudart.map $(B)/gen/libcuda_aliases.ld \
                $(CUDART_ALIASES)
	@mkdir -p $(@D)
	$(CC) -shared -Wl,-soname,libcudart.so.11.0 -Wl,--version-script=frontend/cudart/cudart.map -o $@ \
	    $(CUDART_OBJ) $(B)/lib/libsimtx.a $(B)/gen/libcuda_aliases.ld $(CUDART_ALIASES) \
	    $(LDFLAGS) -Wl,--as-needed $(LDLIBS)

$(CUDART): $(CUDART).11.0
	ln -sf $(<F) $@
