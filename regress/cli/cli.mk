# Tests of the simtx command.
TESTS += cli
.PHONY: cli
cli: $(B)/bin/simtx $(CUDART) $(CONFIGS)
	@CC="$(CC) $(SANITIZE)" regress/cli/run.sh $(B)
