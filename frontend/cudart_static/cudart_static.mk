# libcudart_static.a, libcudart.so.12 and libcudart.so.13: jumps to libcudart.so, which they look for in the folder that
# is given to the compiler.

CUDART_STATIC := $(B)/cuda/lib64/libcudart_static.a
CUDART_NAMES  := $(B)/gen/cudart_static/names.h
ifneq ($(filter x86_64 aarch64,$(shell uname -m)),)
ALL += $(CUDART_STATIC)
endif

# The functions of libcudart.so for a release of CUDA, with the targets of renamed.txt.
CUDART_RENAMED := frontend/cudart/releases/renamed.txt
CUDART_LIST     = nm -D --defined-only $< | sed -nE 's/.* T ((__)?cuda[A-Za-z0-9_]*).*/\1/p' | LC_ALL=C sort -u | \
                  awk -v release=$(1) -f frontend/cudart_static/names.awk $(CUDART_RENAMED) -

$(CUDART_NAMES): $(CUDART).11.0 frontend/cudart_static/names.awk $(CUDART_RENAMED)
	@mkdir -p $(@D)
	@$(call CUDART_LIST,11) > $@

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

# libcudart.so.12 and .13 lie beside libcudart.so; the loader replaces $ORIGIN by their folder.
CUDART_RELEASES := $(CUDART).12 $(CUDART).13
ifneq ($(filter x86_64 aarch64,$(shell uname -m)),)
ALL += $(CUDART_RELEASES)
endif

$(B)/gen/cudart_%/names.h: $(CUDART).11.0 frontend/cudart_static/names.awk $(CUDART_RENAMED)
	@mkdir -p $(@D)
	@$(call CUDART_LIST,$*) > $@

$(CUDART_RELEASES): $(CUDART).%: frontend/cudart_static/forward.c $(B)/gen/cudart_%/names.h
	@mkdir -p $(@D)
	@echo 'libcudart.so.$* { global: cuda*; __cuda*; local: *; };' > $(B)/gen/cudart_$*/names.map
	$(CC) $(filter-out $(SANITIZE),$(CFLAGS)) -I$(B)/gen/cudart_$* -DSIMTX_CUDART_FOLDER='"$$ORIGIN"' -shared \
	    -Wl,-soname,libcudart.so.$* -Wl,--version-script=$(B)/gen/cudart_$*/names.map -Wl,-rpath,'$$ORIGIN' $< -o $@
