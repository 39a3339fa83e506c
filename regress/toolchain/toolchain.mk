# Tests of the CUDA directory and of simtx-cc.
.PHONY: test-toolchain
test-toolchain: all
	@CLANGXX="$(CLANGXX)" sh regress/toolchain/toolchain.sh $(B)

TESTS += test-toolchain
