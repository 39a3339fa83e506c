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
