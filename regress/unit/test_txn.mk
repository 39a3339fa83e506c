# Transactions of a warp: stack, registers, private memory.
$(B)/regress/unit/test_txn: regress/unit/test_txn.c regress/unit/step_driver.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka

TESTS += test-txn
.PHONY: test-txn
test-txn: $(B)/regress/unit/test_txn
	@regress/unit/run.sh $<
