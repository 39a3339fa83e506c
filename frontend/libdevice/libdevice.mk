# Device math bitcode.  One translation unit, so the compiler alone suffices (no llvm-link, no opt), and the
# bitcode is always of the version of the clang that will read it.  sm_35 is the oldest target clang offers by
# default: code for a newer one may inline it.  -fno-math-errno: sqrt is an instruction, not a call.

LIBDEVICE_CC    := $(shell for c in $(CLANG) clang clang-14; do command -v $$c && break; done)
LIBDEVICE       := $(B)/cuda/nvvm/libdevice/libdevice.10.bc
LIBDEVICE_SRC   := $(wildcard frontend/libdevice/*.c frontend/libdevice/*.h frontend/libdevice/*.inc)
LIBDEVICE_FLAGS := -O2 -std=c17 -ffreestanding -nostdlibinc -fno-math-errno -ffp-contract=off \
                   -Wall -Wextra -Wno-unused-parameter
ALL += $(LIBDEVICE)

$(LIBDEVICE): $(LIBDEVICE_SRC) frontend/libdevice/libdevice.mk
	@mkdir -p $(@D)
	$(LIBDEVICE_CC) --target=nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang sm_35 $(LIBDEVICE_FLAGS) \
	    -emit-llvm -c frontend/libdevice/libdevice.c -o $@
