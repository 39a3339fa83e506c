# The load/store unit's tests, on a bench of their own.
LSU_TEST_SRC := $(addprefix regress/unit/memsys/,test_lsu.c lsu_random.c lsu_rig.c)

$(B)/regress/unit/test_lsu: $(LSU_TEST_SRC) regress/unit/memsys/lsu_rig.h $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LSU_TEST_SRC) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a -lcmocka $(LDLIBS)

TESTS += test-lsu
.PHONY: test-lsu
test-lsu: $(B)/regress/unit/test_lsu
	@regress/unit/run.sh $<
