# Random kernels of transactions; see random.c. Included by suite.mk.
RANDOM_TM_SRC := $(patsubst %,regress/tm/random/%.c,gen near machines)
RANDOM_TM_H   := $(wildcard regress/tm/random/*.h) regress/fuzz/random.h

$(B)/regress/tm/random/random: regress/tm/random/random.c $(RANDOM_TM_SRC) $(RANDOM_TM_H) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS)

# Kernels that the tests take.
RANDOM_TM_COUNT        ?= 50
RANDOM_TM_SHARED_COUNT ?= 150
RANDOM_TM_BOTH_COUNT   ?= 80

TESTS          += test-random-tm test-random-tm-shared test-random-tm-both
THREADED_TESTS += test-random-tm test-random-tm-shared test-random-tm-both
.PHONY: test-random-tm test-random-tm-shared test-random-tm-both random-tm-long
test-random-tm: $(B)/regress/tm/random/random $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< --count $(RANDOM_TM_COUNT)
test-random-tm-shared: $(B)/regress/tm/random/random $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< --memory shared --count $(RANDOM_TM_SHARED_COUNT)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< --memory shared --seed 10099 --count 1 --all
test-random-tm-both: $(B)/regress/tm/random/random $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< --memory both --count $(RANDOM_TM_BOTH_COUNT)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< --memory both --only sitm --all --seed 25 --count 1
	@SIMTX_CONFIG_DIR=$(PRESETS) $< --memory both --only sitm --all --seed 29 --count 1
	@SIMTX_CONFIG_DIR=$(PRESETS) $< --memory both --only sitm-noloop --all --seed 2277 --count 1

# make random-tm-long MEMORY=shared SEED=1000 COUNT=10000: every configuration for every kernel
random-tm-long: $(B)/regress/tm/random/random $(CONFIGS)
	SIMTX_CONFIG_DIR=$(PRESETS) $< --all --memory $(or $(MEMORY),global) --seed $(or $(SEED),1) --count $(or $(COUNT),500)
