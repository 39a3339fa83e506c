# The rules of snapshot isolation in random runs: some thousands within test-commit-unit, 100,000 of each kind by
# `make sitm-runs` (SITM_RUNS=n: another number).
SITM_MODEL := $(wildcard regress/unit/sitm/sitm_*.c)
$(B)/regress/unit/test_sitm_model: regress/unit/sitm/test_sitm_model.c $(SITM_MODEL) $(B)/lib/libsimtx.a \
                                   $(wildcard regress/unit/sitm/sitm_*.h)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -o $@ $(LDFLAGS) -lcmocka $(LDLIBS)

test-commit-unit: $(B)/regress/unit/test_sitm_model

.PHONY: sitm-runs
SITM_RUNS ?= 100000
sitm-runs: $(B)/regress/unit/test_sitm_model
	$< $(SITM_RUNS)
