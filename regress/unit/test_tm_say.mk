# Words of transactional memory for reports of hangs.
$(B)/regress/unit/test_tm_say: regress/unit/test_tm_say.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS += test-tm-say
.PHONY: test-tm-say
test-tm-say: $(B)/regress/unit/test_tm_say
	@regress/unit/run.sh $^
