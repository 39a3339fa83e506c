# Tests of the command `simtx sweep` on one machine.
TESTS += test-sweep
.PHONY: test-sweep
test-sweep: $(B)/bin/simtx $(CONFIGS) $(B)/kernels/ht $(B)/kernels/vecadd
	@regress/sweep/run.sh $(B)
