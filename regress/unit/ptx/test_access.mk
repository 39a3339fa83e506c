# Single captured accesses.
$(B)/regress/unit/test_access: regress/unit/ptx/test_access.c regress/unit/ptx/step_driver.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka

TESTS += test-access
.PHONY: test-access
test-access: $(B)/regress/unit/test_access
	@regress/unit/run.sh $<
