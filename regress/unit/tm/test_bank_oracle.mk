# The oracle of transactions on shared memory.
$(B)/regress/unit/test_bank_oracle: regress/unit/tm/test_bank_oracle.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS += test-bank-oracle
.PHONY: test-bank-oracle
test-bank-oracle: $(B)/regress/unit/test_bank_oracle
	@regress/unit/run.sh $^
