# Tests of presets, their composition, the rules between keys, and `simtx config`.
TESTS += config
.PHONY: config
config: $(B)/bin/simtx $(CONFIGS)
	@regress/config/run.sh $(B)
