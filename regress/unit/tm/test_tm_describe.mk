# Words of transactional memory for reports of hangs.
$(B)/regress/unit/test_tm_describe: regress/unit/tm/test_tm_describe.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS += test-tm-describe
.PHONY: test-tm-describe
test-tm-describe: $(B)/regress/unit/test_tm_describe
	@regress/unit/run.sh $^
