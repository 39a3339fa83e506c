# The energy of launches, against the formula of regress/energy/formula.txt.
$(B)/regress/energy/check_energy: regress/energy/check_energy.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) -ljansson -lm

TESTS          += test-energy
THREADED_TESTS += test-energy
.PHONY: test-energy
test-energy: $(B)/regress/energy/check_energy $(B)/bin/simtx $(B)/kernels/list $(B)/kernels/texture_gather $(CONFIGS)
	@regress/energy/run.sh $(B)
