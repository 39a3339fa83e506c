# The SM core's unit tests: on a bench of their own, with another load/store unit in place of the library's.
SM_RIG := regress/unit/timing/sm_rig.c regress/unit/ptx/step_driver.c
SM_TESTS := $(B)/regress/unit/test_sm $(B)/regress/unit/test_sm_parts $(B)/regress/unit/test_sm_programs

$(SM_TESTS): $(B)/regress/unit/%: regress/unit/timing/%.c $(SM_RIG) regress/unit/timing/sm_rig.h $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter-out %.h,$^) -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka -lmpfr -lgmp

$(B)/regress/unit/test_sm_programs: regress/unit/ptx/step_cases.c $(RANDOM_DIR)/gen.o $(RANDOM_REF)

TESTS += test-sm
.PHONY: test-sm
test-sm: $(SM_TESTS)
	@regress/unit/run.sh $^
