# Tests of the CUDA directory and of simtx-cc.
.PHONY: test-toolchain test-nvcc
test-toolchain: all
	@CLANGXX="$(CLANGXX)" regress/toolchain/toolchain.sh $(B)

test-nvcc: all
	@CLANGXX="$(CLANGXX)" regress/toolchain/nvcc.sh $(B)

TESTS += test-toolchain test-nvcc
