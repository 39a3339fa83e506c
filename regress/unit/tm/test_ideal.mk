# Ideal TM on a core part of the test's own.
$(B)/regress/unit/test_ideal: regress/unit/tm/test_ideal.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS += test-ideal
.PHONY: test-ideal
test-ideal: $(B)/regress/unit/test_ideal
	@regress/unit/run.sh $^
