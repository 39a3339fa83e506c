# What public CUDA programs use, and how much of it simtx covers: see docs/coverage.md.
$(B)/regress/coverage/coverage: regress/coverage/coverage.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS)

TESTS += test-coverage
.PHONY: test-coverage
test-coverage: $(B)/regress/coverage/coverage regress/coverage/opcodes.txt
	@$^

$(B)/regress/coverage/api: regress/coverage/api.c frontend/cudart/unsupported.def
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) -ldl

TESTS += test-coverage-api
.PHONY: test-coverage-api
test-coverage-api: $(B)/regress/coverage/api $(B)/cuda/lib64/libcudart.so regress/coverage/api.txt
	@$^

# CUDA features that no program of kernels/ has. With OpenMP for the host's part where clang has it.
FEATURES     := groups numbers host
FEATURE_BIN  := $(FEATURES:%=$(B)/regress/coverage/features_%)
HOST_OPENMP   = $(shell echo 'int main(void) { return 0; }' | \
                  $(CLANG) -x c -fopenmp -o /dev/null - 2>/dev/null && echo -Xcompiler -fopenmp)

$(B)/regress/coverage/features_%: regress/coverage/features_%.cu kernels/check.h | $$(KERNEL_NEEDS)
	@mkdir -p $(@D)
	$(B)/bin/simtx-cc -arch=sm_70 -O2 -I. $(if $(filter host,$*),$(HOST_OPENMP)) $< -o $@

TESTS += test-coverage-features
.PHONY: test-coverage-features
test-coverage-features: $(FEATURE_BIN) $(B)/bin/simtx
	@regress/coverage/features.sh $(B)

# About a minute; `make coverage-long` takes every program with every architecture and option.
TESTS += test-coverage-dialects
.PHONY: test-coverage-dialects coverage-long
test-coverage-dialects: $$(KERNEL_NEEDS)
	@regress/coverage/dialects.sh $(B)

coverage-long: $$(KERNEL_NEEDS)
	@regress/coverage/dialects.sh $(B) all
LONG_TESTS += coverage-long

$(B)/regress/coverage/nvcc_style: regress/coverage/nvcc_style.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS)

TESTS += test-coverage-nvcc
.PHONY: test-coverage-nvcc
test-coverage-nvcc: $(B)/regress/coverage/nvcc_style
	@$< regress/coverage

# Writes the figures of docs/coverage.md anew.
.PHONY: coverage-doc
coverage-doc: $(B)/regress/coverage/coverage $(B)/regress/coverage/api $(FEATURE_BIN) $(B)/bin/simtx
	regress/coverage/document.sh $(B) docs/coverage.md
