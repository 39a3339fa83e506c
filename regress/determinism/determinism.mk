# The same result with any number of host threads, quantum and vector width.
$(B)/regress/determinism/determinism: regress/determinism/determinism.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS)

TESTS          += test-determinism
THREADED_TESTS += test-determinism
.PHONY: test-determinism
test-determinism: $(B)/regress/determinism/determinism
	@$< $(sort $(wildcard regress/determinism/*.ptx))
