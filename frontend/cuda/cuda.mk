# The CUDA-shaped tree that clang is pointed at: our headers, the stand-ins for ptxas and fatbinary.  libdevice and
# libcudart add their files to $(B)/cuda by their own rules.

CUDA_DIR     := frontend/cuda
CUDA_HDR_SRC := $(shell cd $(CUDA_DIR)/include && find . -name '*.h' -o -name '*.hpp' | sed 's|^\./||')
CUDA_HDR     := $(CUDA_HDR_SRC:%=$(B)/cuda/include/%)
CUDA_TREE    := $(CUDA_HDR)

$(B)/cuda/include/%: $(CUDA_DIR)/include/%
	@mkdir -p $(@D)
	@cp $< $@

.PHONY: cuda-headers
cuda-headers: $(CUDA_HDR)

ALL += $(CUDA_TREE)
