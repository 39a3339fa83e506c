# Programs that were not written for simtx: each script runs one against the libraries of the build tree.
TESTS += test-clients
.PHONY: test-clients
test-clients: all
	@CC="$(CC)" CLANGXX="$(CLANGXX)" regress/clients/run.sh $(abspath $(B))
