# libcudart_static.a: jumps to libcudart.so, which it looks for in the folder that is given to the compiler.

CUDART_STATIC := $(B)/cuda/lib64/libcudart_static.a
CUDART_NAMES  := $(B)/gen/cudart_static/names.h
ifneq ($(filter x86_64 aarch64,$(shell uname -m)),)
ALL += $(CUDART_STATIC)
endif

$(CUDART_NAMES): $(CUDART).11.0
	@mkdir -p $(@D)
	@nm -D --defined-only $< | sed -nE 's/.* T ((__)?cuda[A-Za-z0-9_]*).*/\1/p' | LC_ALL=C sort -u | \
	    awk 'BEGIN { print "#define FORWARD_NAMES \\" } { printf "    FORWARD(%d, %s) \\\n", NR - 1, $$1 } \
	         END { printf "\n#define FORWARD_COUNT %d\n", NR }' > $@

# $(call CUDART_ARCHIVE,archive,folder of libcudart.so). Any compiler links it, so it has no sanitizer in it.
CUDART_ARCHIVE = $(CC) $(filter-out $(SANITIZE),$(CFLAGS)) -I$(dir $(CUDART_NAMES)) -DSIMTX_CUDART_FOLDER='"$(2)"' \
                 -c frontend/cudart_static/forward.c -o $(1:.a=.o) && rm -f $(1) && \
                 ar rcs $(1) $(1:.a=.o) && rm -f $(1:.a=.o)

$(CUDART_STATIC): frontend/cudart_static/forward.c $(CUDART_NAMES)
	@mkdir -p $(@D)
	$(call CUDART_ARCHIVE,$@,$(abspath $(@D)))

.PHONY: install-cudart-static
install: install-cudart-static
install-cudart-static: install-cuda
	$(call CUDART_ARCHIVE,$(INSTALL_CUDA)/lib64/libcudart_static.a,$(PREFIX)/share/simtx/cuda/lib64)
