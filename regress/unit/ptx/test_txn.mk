# Transactions of a warp: the stack, what comes back, faults, random programs.
TXN_TESTS := $(addprefix $(B)/regress/unit/,test_txn test_txn_undo test_txn_faults test_txn_random)

$(TXN_TESTS): $(B)/regress/unit/%: regress/unit/ptx/%.c regress/unit/ptx/txn_rig.c regress/unit/ptx/step_driver.c \
              $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka

TESTS += test-txn
.PHONY: test-txn
test-txn: $(TXN_TESTS)
	@regress/unit/run.sh $^
