# The commit unit in a random machine, and the same machine's finding of deliberate faults: for that, the unit's sources
# are compiled again.
CU_RIG := regress/unit/cu_rig.c
CU_SRC := $(filter-out tm/kilotm/cu_config.c,$(wildcard tm/kilotm/cu_*.c)) \
          $(addprefix tm/kilotm/,commit_unit.c lwh.c exact.c bf_array.c) tm/h3.c

$(B)/regress/unit/test_commit_unit: regress/unit/test_commit_unit.c $(CU_RIG) regress/unit/cu_rig.h $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -o $@ $(LDFLAGS) -lcmocka $(LDLIBS)

$(B)/regress/unit/cu_mutants: regress/unit/cu_mutants.c $(CU_RIG) regress/unit/cu_rig.h $(CU_SRC) \
                              regress/unit/test_cu_rules.c \
                              $(wildcard tm/kilotm/*.h) tm/h3.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DSIMTX_MUTATE $(filter-out %.h %/test_cu_rules.c,$^) -o $@ $(LDFLAGS) -lcmocka $(LDLIBS)

TESTS += test-commit-unit
.PHONY: test-commit-unit
test-commit-unit: $(B)/regress/unit/test_commit_unit $(B)/regress/unit/cu_mutants
	@regress/unit/run.sh $^
