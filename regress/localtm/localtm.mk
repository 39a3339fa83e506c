# GPU-LocalTM on the machine: table 1 of its paper, costs, shared memory as it is; programs (run.sh).
LOCALTM_RIG     := regress/localtm/rig.c regress/localtm/rig.h
LOCALTM_MACHINE := $(addprefix $(B)/regress/localtm/,test_table1 test_costs test_memory)

$(LOCALTM_MACHINE): $(B)/regress/localtm/%: regress/localtm/%.c $(LOCALTM_RIG) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS += test-localtm-machine
.PHONY: test-localtm-machine
test-localtm-machine: $(LOCALTM_MACHINE)
	@regress/unit/run.sh $^

LOCALTM_NEEDS := $(B)/bin/simtx $(CONFIGS) $(B)/regress/tm/counts $(B)/regress/timing/same_json \
                 $(patsubst %,$(B)/kernels/%,lht km ga moves)

TESTS          += test-localtm-programs
THREADED_TESTS += test-localtm-programs
.PHONY: test-localtm-programs test-localtm-all
test-localtm-programs: $(LOCALTM_NEEDS)
	@regress/localtm/run.sh $(B)

# Every launch in every configuration.
test-localtm-all: $(LOCALTM_NEEDS)
	@regress/localtm/run.sh $(B) all
LONG_TESTS += test-localtm-all

# Transactions that reach both memories.
TESTS          += test-localtm-both
THREADED_TESTS += test-localtm-both
.PHONY: test-localtm-both
test-localtm-both: $(B)/bin/simtx $(CONFIGS) $(B)/regress/tm/counts $(B)/regress/timing/same_json
	@regress/localtm/both.sh $(B)
