# The SM core's unit tests: on a bench of their own, with another load/store unit in place of the library's.
$(B)/regress/unit/test_sm: regress/unit/test_sm.c regress/unit/sm_rig.c regress/unit/step_driver.c regress/unit/sm_rig.h $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka

TESTS += test-sm
.PHONY: test-sm
test-sm: $(B)/regress/unit/test_sm
	@regress/unit/run.sh $<
