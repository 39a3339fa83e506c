# Device math bitcode.  One translation unit, so that no llvm-link or opt is needed.  sm_35 is the oldest target
# that every version of clang supports; code for newer targets can inline it.  -fno-math-errno: sqrt is an
# instruction, not a call.
#
# clang reads bitcode of its own version and of older ones.  $(B)/cuda has the bitcode of $(CLANG); every older version
# that is installed has its own CUDA directory, $(B)/cuda/clang-VERSION, which shares all but the bitcode.

LIBDEVICE       := $(B)/cuda/nvvm/libdevice/libdevice.10.bc
LIBDEVICE_SRC   := $(wildcard frontend/libdevice/*.c frontend/libdevice/*.h frontend/libdevice/*.inc)
LIBDEVICE_FLAGS := --target=nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang sm_35 -O2 -std=c17 -ffreestanding \
                   -nostdlibinc -fno-math-errno -ffp-contract=off -Wall -Wextra -Wno-unused-parameter \
                   -Wno-unknown-cuda-version -emit-llvm -c
CLANG_OLDER     := $(foreach v,$(CLANG_FOUND),$(shell [ $(v) -lt $(or $(CLANG_MAJOR),0) ] && echo $(v)))
LIBDEVICE_OLDER := $(CLANG_OLDER:%=$(B)/cuda/clang-%/nvvm/libdevice/libdevice.10.bc)
CLANG_VERSION   := $(B)/cuda/nvvm/libdevice/clang-version
ALL             += $(LIBDEVICE) $(LIBDEVICE_OLDER)

# The major version of the clang that compiled the bitcode; simtx-cc reads it.
.PHONY: clang-asked
$(CLANG_VERSION): clang-asked
	@mkdir -p $(@D)
	@echo $(CLANG_MAJOR) | cmp -s - $@ || echo $(CLANG_MAJOR) > $@

$(LIBDEVICE): $(LIBDEVICE_SRC) frontend/libdevice/libdevice.mk $(CLANG_VERSION)
	$(CLANG) $(LIBDEVICE_FLAGS) frontend/libdevice/libdevice.c -o $@

$(LIBDEVICE_OLDER): $(B)/cuda/clang-%/nvvm/libdevice/libdevice.10.bc: $(LIBDEVICE_SRC) frontend/libdevice/libdevice.mk
	@mkdir -p $(@D)
	@ln -sfn ../include ../bin ../lib64 ../version.json $(B)/cuda/clang-$*/
	clang-$* $(LIBDEVICE_FLAGS) frontend/libdevice/libdevice.c -o $@
