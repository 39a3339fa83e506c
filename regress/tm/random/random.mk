# Random kernels of transactions; see random.c. Included by suite.mk.
$(B)/regress/tm/random/random: regress/tm/random/random.c regress/tm/random/gen.c regress/tm/random/gen.h \
                               regress/fuzz/random.h $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS)

TESTS += test-random-tm test-random-tm-shared
.PHONY: test-random-tm test-random-tm-shared random-tm-long
test-random-tm: $(B)/regress/tm/random/random
	@SIMTX_CONFIG_DIR=configs $<

test-random-tm-shared: $(B)/regress/tm/random/random
	@SIMTX_CONFIG_DIR=configs $< --shared --count 30

# make random-tm-long SEED=1000 COUNT=10000: every configuration for every kernel
random-tm-long: $(B)/regress/tm/random/random
	SIMTX_CONFIG_DIR=configs $< --all --seed $(or $(SEED),1) --count $(or $(COUNT),500)
	SIMTX_CONFIG_DIR=configs $< --all --shared --seed $(or $(SEED),1) --count $(or $(COUNT),500)
