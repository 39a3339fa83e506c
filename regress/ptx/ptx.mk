# Small PTX programs over the corners of the executor; run.sh says how they state what must come of them.
TESTS += test-ptx
.PHONY: test-ptx
test-ptx: $(B)/bin/simtx
	@regress/ptx/run.sh $<
