# The manual's tables come from the program: `make docs` writes them, `make docs-check` tells whether they are current.
TESTS += docs-check
.PHONY: docs docs-check
docs: $(B)/bin/simtx presets
	@docs/generate.sh $(B)/bin/simtx write
docs-check: $(B)/bin/simtx presets
	@docs/generate.sh $(B)/bin/simtx check
