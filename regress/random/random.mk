# Random kernels against a one-lane-at-a-time evaluator; see random.c.
RANDOM_DIR := $(B)/regress/random
RANDOM_OBJ := $(patsubst regress/random/%.c,$(RANDOM_DIR)/%.o,$(wildcard regress/random/*.c))
RANDOM_REF := $(patsubst regress/conformance/%.c,$(B)/regress/conformance/%.o, \
    $(wildcard regress/conformance/ref/*.c) regress/conformance/combo.c regress/conformance/values.c)

$(RANDOM_DIR)/%.o: regress/random/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

$(RANDOM_DIR)/random: $(RANDOM_OBJ) $(RANDOM_REF) $(B)/lib/libsimtx.a
	$(CC) -o $@ $(RANDOM_OBJ) $(RANDOM_REF) $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lmpfr -lgmp

# Programs that the tests take.
RANDOM_COUNT        ?= 300
RANDOM_TIMING_COUNT ?= 100

TESTS          += test-random test-random-timing
THREADED_TESTS += test-random test-random-timing
.PHONY: test-random test-random-timing random-long random-timing-long
test-random: $(RANDOM_DIR)/random $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< --seed 1 --count $(RANDOM_COUNT)

test-random-timing: $(RANDOM_DIR)/random $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< --timing --seed 1 --count $(RANDOM_TIMING_COUNT)

# make random-long SEED=1000 COUNT=100000: every configuration for every program
random-long: $(RANDOM_DIR)/random $(CONFIGS)
	SIMTX_CONFIG_DIR=$(PRESETS) $< --all --seed $(or $(SEED),1) --count $(or $(COUNT),10000)

random-timing-long: $(RANDOM_DIR)/random $(CONFIGS)
	SIMTX_CONFIG_DIR=$(PRESETS) $< --timing --all --seed $(or $(SEED),1) --count $(or $(COUNT),2000)
LONG_TESTS += random-long random-timing-long

-include $(RANDOM_OBJ:.o=.d)
