# Transactions in timing mode from end to end: benchmarks, small programs, wrong ones (run.sh), random ones (random.c).
TM_DIR      := $(B)/regress/tm
TM_PROGRAMS := $(patsubst %,$(B)/kernels/%,ht atm cl bh cc ap tx_bank transfers)

$(TM_DIR)/counts: regress/tm/counts.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) -ljansson

$(TM_DIR)/streams $(TM_DIR)/outside $(TM_DIR)/crossing: $(TM_DIR)/%: regress/tm/%.cu | $(ALL)
	@mkdir -p $(@D)
	$(B)/bin/simtx-cc -O2 $< -o $@

TM_NEEDS := $(TM_DIR)/counts $(TM_DIR)/streams $(B)/regress/timing/same_json $(TM_PROGRAMS)

TESTS          += test-tm
THREADED_TESTS += test-tm
.PHONY: test-tm test-tm-all
test-tm: $(TM_NEEDS)
	@regress/tm/run.sh $(B)

# Every benchmark in every configuration: minutes.
test-tm-all: $(TM_NEEDS)
	@regress/tm/run.sh $(B) all
LONG_TESTS += test-tm-all

# What transactions on shared memory take of an SM.
TESTS += test-tm-limits
.PHONY: test-tm-limits
test-tm-limits: $(B)/bin/simtx $(CONFIGS)
	@regress/tm/limits.sh $(B)

# The benchmarks of the snapshot-isolation paper (si.sh), and the machine of that paper (sitm.sh).
SI_NEEDS := $(B)/bin/simtx $(CONFIGS) $(TM_DIR)/counts $(TM_DIR)/outside $(TM_DIR)/crossing \
            $(B)/regress/timing/same_json $(TM_PROGRAMS) \
            $(patsubst %.cu,$(B)/kernels/%,$(notdir $(wildcard kernels/si/*.cu)))

TESTS          += test-si
THREADED_TESTS += test-si
.PHONY: test-si
test-si: $(SI_NEEDS)
	@regress/tm/si.sh $(B)
	@regress/tm/sitm.sh $(B)

include regress/tm/random/random.mk
