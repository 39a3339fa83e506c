# check.races and check.uninitialised: kernels with known errors and their corrected twins; random programs with and
# without one of their synchronisations; every program of kernels/, none of which has an error.
$(B)/regress/races/random: regress/races/random.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS)

$(B)/regress/races/twins: regress/races/twins.cu | $$(KERNEL_NEEDS)
	@mkdir -p $(@D)
	$(B)/bin/simtx-cc -O2 -w $< -o $@

# Programs that the test takes.
RACES_COUNT ?= 40

TESTS          += test-races test-races-random test-races-kernels
THREADED_TESTS += test-races
.PHONY: test-races test-races-random test-races-kernels
test-races: $(B)/regress/races/twins $(B)/bin/simtx $(CONFIGS)
	@regress/races/run.sh $(B)

test-races-random: $(B)/regress/races/random $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< 1 $(RACES_COUNT)

test-races-kernels: $(KERNEL_BIN) $(B)/bin/simtx $(CONFIGS)
	@regress/races/kernels.sh $(B)
