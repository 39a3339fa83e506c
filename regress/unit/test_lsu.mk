# The load/store unit's unit tests: on a bench of their own.
LSU_TESTS := $(B)/regress/unit/test_lsu

$(LSU_TESTS): $(B)/regress/unit/test_%: regress/unit/test_%.c regress/unit/lsu_rig.c regress/unit/lsu_rig.h $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< regress/unit/lsu_rig.c -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a -lcmocka $(LDLIBS)

TESTS += test-lsu
.PHONY: test-lsu
test-lsu: $(LSU_TESTS)
	@regress/unit/run.sh $^
