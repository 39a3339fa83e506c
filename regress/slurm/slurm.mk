# `simtx sweep --slurm` on a cluster of virtual nodes.
TESTS += test-slurm
.PHONY: test-slurm
test-slurm: $(B)/bin/simtx $(CONFIGS) $(B)/kernels/ht
	@regress/slurm/run.sh $(B)
