# Tests of the command `simtx sweep` on one machine.
TESTS += test-sweep
.PHONY: test-sweep
test-sweep: $(B)/bin/simtx $(CONFIGS) $(B)/kernels/ht $(B)/kernels/vecadd
	@regress/sweep/run.sh $(B)

# 576 runs, interrupted again and again.
LONG_TESTS += sweep-long
.PHONY: sweep-long
sweep-long: $(B)/bin/simtx $(CONFIGS) $(B)/kernels/ht
	@regress/sweep/long.sh $(B)
