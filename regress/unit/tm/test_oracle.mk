# The oracle of transactional memory.
$(B)/regress/unit/test_oracle: regress/unit/tm/test_oracle.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS += test-oracle
.PHONY: test-oracle
test-oracle: $(B)/regress/unit/test_oracle
	@regress/unit/run.sh $^
