# The CUDA directory for clang: headers of simtx, its replacements for ptxas and fatbinary, and bin2c.
# libdevice and libcudart add their files to $(B)/cuda by their own rules.
#
# Installed, the tree is PREFIX/share/simtx/cuda; ptxas finds PREFIX/bin/simtx from there, simtx-cc finds the
# tree from PREFIX/bin.

CUDA_DIR     := frontend/cuda
CUDA_HDR_SRC := $(shell cd $(CUDA_DIR)/include && find . -name '*.h' -o -name '*.hpp' -o -name nvfunctional | sed 's|^\./||')
CG_DETAILS   := $(patsubst %,$(B)/cuda/include/cooperative_groups/details/%.h,async coalesced_reduce coalesced_scan \
                  driver_abi functional helpers info invoke memory partitioning reduce scan sync)
CUDA_HDR     := $(CUDA_HDR_SRC:%=$(B)/cuda/include/%) $(B)/cuda/include/simtx/errors.def $(CG_DETAILS)
EMPTY_LIBS   := $(B)/cuda/lib64/libcudadevrt.a $(B)/cuda/lib64/libnvToolsExt.a
CUDA_TOOLS   := $(addprefix $(B)/cuda/bin/,ptxas fatbinary nvlink bin2c crt/link.stub) $(EMPTY_LIBS)
CUDA_TREE    := $(CUDA_HDR) $(CUDA_TOOLS) $(B)/cuda/version.json $(B)/cuda/lib64/.keep

$(B)/cuda/include/%: $(CUDA_DIR)/include/%
	@mkdir -p $(@D)
	@cp $< $@

# The device runtime has the texts of the runtime library.
$(B)/cuda/include/simtx/errors.def: frontend/cudart/errors.def
	@mkdir -p $(@D)
	@cp $< $@

# Headers that some programs name although cooperative_groups.h includes them.
$(CG_DETAILS):
	@mkdir -p $(@D)
	@printf '#include "cooperative_groups.h"\n' >$@
	@case $(@F) in *reduce.h) printf '#include "cooperative_groups/reduce.h"\n' ;; \
	    *scan.h) printf '#include "cooperative_groups/scan.h"\n' ;; \
	    async.h) printf '#include "cooperative_groups/memcpy_async.h"\n' ;; esac >>$@

$(B)/cuda/bin/%: $(B)/obj/$(CUDA_DIR)/%.o $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) -o $@ $^ $(LDFLAGS)

$(B)/cuda/bin/crt/%: $(CUDA_DIR)/crt/%
	@mkdir -p $(@D)
	@cp $< $@

# The device runtime library and NVTX: empty, for link lines that name them.
$(EMPTY_LIBS):
	@mkdir -p $(@D)
	@ar rcs $@

NVLINK_OBJ := $(B)/obj/frontend/cuda/nvlink.o $(B)/obj/frontend/cuda/link_inputs.o $(B)/obj/frontend/fatbin/fatbin.o
$(B)/cuda/bin/nvlink: $(NVLINK_OBJ) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) -o $@ $(NVLINK_OBJ) $(B)/lib/libsimtx.a $(LDFLAGS) -Wl,--as-needed $(LDLIBS)

$(B)/cuda/version.json:
	@mkdir -p $(@D)
	@echo '{ "cuda" : { "name" : "simtx CUDA directory", "version" : "11.5.0" } }' > $@

$(B)/cuda/lib64/.keep:
	@mkdir -p $(@D)
	@touch $@

# The headers of libcu++, if its package is installed, corrected for clang.
LIBCUDACXX := $(B)/cuda/include/.libcudacxx
CUDA_TREE  += $(LIBCUDACXX)
$(LIBCUDACXX): $(CUDA_DIR)/libcudacxx.sh $(CUDA_DIR)/libcudacxx/functional $(wildcard /usr/include/cuda/std/barrier)
	@mkdir -p $(@D)
	@sh $(CUDA_DIR)/libcudacxx.sh $(@D)
	@touch $@

# The headers of Thrust that clang rejects in kernels, if its package is installed, corrected.
THRUST_COPIES := $(B)/cuda/include/.thrust
CUDA_TREE     += $(THRUST_COPIES)
$(THRUST_COPIES): $(CUDA_DIR)/thrust.sh $(wildcard /usr/include/thrust/version.h)
	@mkdir -p $(@D)
	@sh $(CUDA_DIR)/thrust.sh $(abspath $(@D))
	@touch $@

# The folder has no header that only an earlier state of the tree had.
STALE_HDR = $(filter-out $(CUDA_HDR) $(LIBCUDACXX) $(B)/cuda/include/cuda/% $(B)/cuda/include/nv/% \
                         $(THRUST_COPIES) $(B)/cuda/include/thrust/%, \
                         $(shell find $(B)/cuda/include ! -type d))
.PHONY: cuda-headers install-cuda
cuda-headers: $(CUDA_HDR)
	@$(if $(STALE_HDR),rm -f $(STALE_HDR))

ALL += $(CUDA_TREE) cuda-headers

INSTALL_CUDA := $(DESTDIR)$(PREFIX)/share/simtx/cuda
install: install-cuda
install-cuda: all
	rm -rf $(INSTALL_CUDA)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/simtx
	cp -R $(B)/cuda $(INSTALL_CUDA)
	install -m 755 $(B)/bin/simtx-cc $(DESTDIR)$(PREFIX)/bin/simtx-cc
	ln -sf simtx-cc $(DESTDIR)$(PREFIX)/bin/nvcc
	ln -sf ../../../../bin/simtx-cc $(INSTALL_CUDA)/bin/nvcc
