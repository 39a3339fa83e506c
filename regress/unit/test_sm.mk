# The SM core's unit tests: on a bench of their own, with another load/store unit in place of the library's.
SM_RIG := regress/unit/sm_rig.c regress/unit/step_driver.c

$(B)/regress/unit/test_sm: regress/unit/test_sm.c $(SM_RIG) regress/unit/sm_rig.h $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka

$(B)/regress/unit/test_sm_programs: regress/unit/test_sm_programs.c regress/unit/step_cases.c $(SM_RIG) regress/unit/sm_rig.h \
                                    $(RANDOM_DIR)/gen.o $(RANDOM_REF) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter-out %.h,$^) -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka -lmpfr -lgmp

TESTS += test-sm
.PHONY: test-sm
test-sm: $(B)/regress/unit/test_sm $(B)/regress/unit/test_sm_programs
	@regress/unit/run.sh $^
