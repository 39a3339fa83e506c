# What docs/adding.md adds, step by step: toys, each a folder here, are built into a copy of the product and used there.
ADDING = MAKE="$(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))" regress/adding/adding.sh $(B)

.PHONY: adding
adding: $(B)/bin/simtx $(CUDART)
	+@$(ADDING)

TESTS += test-adding-tm
.PHONY: test-adding-tm
test-adding-tm: adding $(CONFIGS) $(B)/regress/tm/counts $(patsubst %,$(B)/kernels/%,ht tx_bank lht)
	@regress/adding/tm.sh $(B)

TESTS += test-adding-paper
.PHONY: test-adding-paper
test-adding-paper: adding $(CONFIGS) $(B)/kernels/ht $(B)/regress/paper/wellformed
	@regress/adding/paper.sh $(B)

TESTS += test-adding-counter
.PHONY: test-adding-counter
test-adding-counter: adding $(CONFIGS)
	@regress/adding/counter.sh $(B)

TESTS += test-adding-key
.PHONY: test-adding-key
test-adding-key: adding $(CONFIGS)
	@regress/adding/key.sh $(B)

TESTS += test-adding-policy
.PHONY: test-adding-policy
test-adding-policy: adding $(CONFIGS)
	@regress/adding/policy.sh $(B)

TESTS += test-adding-instruction
.PHONY: test-adding-instruction
test-adding-instruction: adding $(CONFIGS)
	@regress/adding/instruction.sh $(B)

TESTS += test-adding-order test-adding-coherence
.PHONY: test-adding-order test-adding-coherence
test-adding-order: adding $(CONFIGS) $(patsubst %,$(B)/kernels/%,vecadd histogram scan_lookback)
	@regress/adding/order.sh $(B)
test-adding-coherence: adding $(CONFIGS) $(patsubst %,$(B)/kernels/%,vecadd histogram scan_lookback)
	@regress/adding/coherence.sh $(B)
