# Kernels that go wrong, and what the reports must say.
$(B)/regress/faults/faults: regress/faults/faults.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS)

TESTS          += test-faults
THREADED_TESTS += test-faults
.PHONY: test-faults
test-faults: $(B)/regress/faults/faults
	@$< $(sort $(wildcard regress/faults/*.ptx))
