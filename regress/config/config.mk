# Tests of presets, their composition, the rules between keys, and `simtx config`; random settings in timing mode.
TESTS += config config-random
.PHONY: config config-random
config: $(B)/bin/simtx $(CONFIGS)
	@regress/config/run.sh $(B)
config-random: $(B)/bin/simtx $(CONFIGS)
	@regress/config/random.sh $(B)
