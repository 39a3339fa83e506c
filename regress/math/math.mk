# Accuracy of the device math library: its sources compiled for the host, against MPFR.  Once as written, once
# with the compiler free to fuse products and sums, which the device compiler is too.  The sources use clang's
# builtins, so the compiler is clang here.

MATH_DIR   := $(B)/regress/math
MATH_CC    := $(CLANG) -O2 -std=gnu17 -Wall -Wextra -Wno-unused-parameter -fno-math-errno
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

$(MATH_DIR)/libdevice.o: $(LIBDEVICE_SRC) regress/math/host_device.h regress/math/math.mk
	@mkdir -p $(@D)
	$(MATH_CC) $(MATH_FMA) -ffp-contract=off -Iregress/math -c frontend/libdevice/libdevice.c -o $@

$(MATH_DIR)/libdevice-fused.o: $(LIBDEVICE_SRC) regress/math/host_device.h regress/math/math.mk
	@mkdir -p $(@D)
	$(MATH_CC) $(MATH_FMA) -ffp-contract=fast -Iregress/math -c frontend/libdevice/libdevice.c -o $@

$(MATH_DIR)/%.o: regress/math/%.c regress/math/functions.def regress/math/refs.h
	@mkdir -p $(@D)
	$(MATH_CC) -c $< -o $@

$(MATH_DIR)/accuracy: $(MATH_DIR)/accuracy.o $(MATH_DIR)/refs.o $(MATH_DIR)/libdevice.o
	$(CLANG) $^ -lmpfr -lgmp -lm -o $@

$(MATH_DIR)/accuracy-fused: $(MATH_DIR)/accuracy.o $(MATH_DIR)/refs.o $(MATH_DIR)/libdevice-fused.o
	$(CLANG) $^ -lmpfr -lgmp -lm -o $@

$(MATH_DIR)/exact: $(MATH_DIR)/exact.o $(MATH_DIR)/libdevice.o
	$(CLANG) $^ -lm -o $@
