# Accuracy of the device math library: its sources compiled for the host, against MPFR.  Once as written, once
# with the compiler free to fuse products and sums, which the device compiler is too.  The sources use clang's
# builtins, so the compiler is clang here.

MATH_DIR   := $(B)/regress/math
MATH_CC    := $(CLANG) -O2 -std=gnu17 -Wall -Wextra -Wno-unused-parameter -fno-math-errno -I.
MATH_FMA   := $(shell grep -qw fma /proc/cpuinfo 2>/dev/null && echo -mfma)
MATH_TESTS := $(MATH_DIR)/accuracy $(MATH_DIR)/accuracy-fused $(MATH_DIR)/exact
MATH_SAMPLES ?= 20000

TESTS += test-math

.PHONY: test-math math-long
test-math: $(MATH_TESTS)
	$(MATH_DIR)/exact
	$(MATH_DIR)/accuracy-fused 4000
	$(MATH_DIR)/accuracy $(MATH_SAMPLES)

# An hour instead of seconds: two million samples a function, a third of them an even walk through all floats
math-long: $(MATH_TESTS)
	$(MATH_DIR)/exact 2000000
	$(MATH_DIR)/accuracy-fused 500000
	$(MATH_DIR)/accuracy 2000000
LONG_TESTS += math-long

$(MATH_DIR)/libdevice.o: $(LIBDEVICE_SRC) regress/math/host_device.h regress/math/math.mk
	@mkdir -p $(@D)
	$(MATH_CC) $(MATH_FMA) -ffp-contract=off -Iregress/math -c frontend/libdevice/libdevice.c -o $@

$(MATH_DIR)/libdevice-fused.o: $(LIBDEVICE_SRC) regress/math/host_device.h regress/math/math.mk
	@mkdir -p $(@D)
	$(MATH_CC) $(MATH_FMA) -ffp-contract=fast -Iregress/math -c frontend/libdevice/libdevice.c -o $@

$(MATH_DIR)/%.o: regress/math/%.c regress/math/functions.def regress/math/refs.h regress/math/adapt.h
	@mkdir -p $(@D)
	$(MATH_CC) -c $< -o $@

$(MATH_DIR)/accuracy: $(MATH_DIR)/accuracy.o $(MATH_DIR)/refs.o $(MATH_DIR)/libdevice.o
	$(CLANG) $^ -lmpfr -lgmp -lm -o $@

$(MATH_DIR)/accuracy-fused: $(MATH_DIR)/accuracy.o $(MATH_DIR)/refs.o $(MATH_DIR)/libdevice-fused.o
	$(CLANG) $^ -lmpfr -lgmp -lm -o $@

$(MATH_DIR)/exact: $(MATH_DIR)/exact.o $(MATH_DIR)/libdevice.o
	$(CLANG) $^ -lm -o $@

# The same functions through the simulator: bit for bit against the host build (its functions renamed),
# compiled without contraction; and, compiled as CUDA programs usually are, against MPFR.
TESTS += test-math-device
.PHONY: test-math-device
test-math-device: $(MATH_DIR)/bits $(MATH_DIR)/accuracy-device $(B)/bin/simtx
	$(B)/bin/simtx run -- $(MATH_DIR)/bits
	$(B)/bin/simtx run -- $(MATH_DIR)/accuracy-device 3000

$(MATH_DIR)/libdevice-host.o: $(MATH_DIR)/libdevice.o
	nm --defined-only -g $< | awk '{ print $$3, "host" $$3 }' > $(MATH_DIR)/host-names
	objcopy --redefine-syms=$(MATH_DIR)/host-names $< $@

MATH_CUDA := regress/math/batch.cu regress/math/batch.h regress/math/functions.def regress/math/adapt.h \
             $(LIBDEVICE) $(B)/bin/simtx-cc $(B)/bin/simtx $(CUDA_TREE)

$(MATH_DIR)/batch.o: $(MATH_CUDA)
	@mkdir -p $(@D)
	$(B)/bin/simtx-cc -O2 -arch=sm_70 -c $< -o $@

$(MATH_DIR)/batch-bits.o: $(MATH_CUDA)
	@mkdir -p $(@D)
	$(B)/bin/simtx-cc -O1 -arch=sm_70 -ffp-contract=off -c $< -o $@

$(MATH_DIR)/bits.o: regress/math/bits.cpp regress/math/batch.h regress/math/adapt.h regress/math/functions.def
	@mkdir -p $(@D)
	$(CLANGXX) -O1 -Wall -Wextra -c $< -o $@

$(MATH_DIR)/accuracy-device.o: regress/math/accuracy.c regress/math/batch.h regress/math/functions.def \
                               regress/math/refs.h
	@mkdir -p $(@D)
	$(MATH_CC) -DON_DEVICE -c $< -o $@

$(MATH_DIR)/bits: $(MATH_DIR)/bits.o $(MATH_DIR)/batch-bits.o $(MATH_DIR)/libdevice-host.o | $(CUDART)
	$(B)/bin/simtx-cc $^ -lm -o $@

$(MATH_DIR)/accuracy-device: $(MATH_DIR)/accuracy-device.o $(MATH_DIR)/batch.o $(MATH_DIR)/refs.o | $(CUDART)
	$(B)/bin/simtx-cc $^ -lmpfr -lgmp -lm -o $@

# Every function of the bitcode as PTX: no calls, no doubles in float functions, the instruction that is due
TESTS += test-math-ptx
.PHONY: test-math-ptx
test-math-ptx: $(LIBDEVICE) regress/math/instructions.tsv regress/math/check-ptx.awk
	@mkdir -p $(MATH_DIR)
	$(CLANG) --target=nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang sm_35 -O2 -Wno-override-module \
	    -S $(LIBDEVICE) -o $(MATH_DIR)/libdevice.ptx
	awk -f regress/math/check-ptx.awk regress/math/instructions.tsv $(MATH_DIR)/libdevice.ptx
