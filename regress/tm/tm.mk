# Transactions on the machine: a protocol with eager conflict detection.
TX_LAB    := regress/tm/programs.c regress/witness/lab.c
TX_LAB_H  := regress/tm/programs.h regress/witness/lab.h
EAGER_SRC := regress/tm/eager.c regress/tm/eager_unit.c

$(B)/regress/tm/test_eager: regress/tm/test_eager.c $(EAGER_SRC) regress/tm/eager.h $(TX_LAB) $(TX_LAB_H) \
                            $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS          += test-eager
THREADED_TESTS += test-eager
.PHONY: test-eager
test-eager: $(B)/regress/tm/test_eager
	@regress/unit/run.sh $^

# One bit turned over.
$(B)/regress/tm/test_flip: regress/tm/test_flip.c $(TX_LAB) $(TX_LAB_H) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS += test-flip
.PHONY: test-flip
test-flip: $(B)/regress/tm/test_flip
	@regress/unit/run.sh $^

# Deliberate faults: the files that have some are compiled again. A part of them is run by `make test`.
MUTATED     := $(wildcard tm/*.c) $(wildcard tm/kilotm/*.c) $(wildcard tm/localtm/*.c) ptx/txn_undo.c
MUTATED_OBJ := $(MUTATED:%.c=$(B)/obj-mutated/%.o)

$(B)/obj-mutated/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DSIMTX_MUTATE -MMD -MP -c $< -o $@

$(B)/regress/tm/mutants: regress/tm/mutants.c $(TX_LAB) $(TX_LAB_H) $(MUTATED_OBJ) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DSIMTX_MUTATE $(filter %.c,$^) $(MUTATED_OBJ) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

# Of transactions on shared memory: random kernels find them.
$(B)/regress/tm/bank_mutants: regress/tm/bank_mutants.c $(RANDOM_TM_SRC) $(RANDOM_TM_H) $(MUTATED_OBJ) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DSIMTX_MUTATE $(filter %.c,$^) $(MUTATED_OBJ) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS)

# The table of all is written anew when no fault survives that should not.
TESTS += test-tm-mutants-few test-bank-mutants
.PHONY: test-tm-mutants test-tm-mutants-few test-bank-mutants
test-tm-mutants-few: $(B)/regress/tm/mutants
	@$< 4 2>&1
test-bank-mutants: $(B)/regress/tm/bank_mutants
	@SIMTX_CONFIG_DIR=configs $< 2>&1
test-tm-mutants: $(B)/regress/tm/mutants $(B)/regress/tm/bank_mutants $(B)/mutated/libcudart.so.11.0 $(B)/kernels/ht $(B)/kernels/bh
	@regress/tm/mutants.sh $< $(B) > $(B)/tm-mutants.md
	@cp $(B)/tm-mutants.md docs/tm-mutants.md
	@echo "tm-mutants: $$(awk -F '[ ,]+' '/ faults, / { n += $$3 } END { print n }' docs/tm-mutants.md) passed, 0 failed"
LONG_TESTS += test-tm-mutants

# The same in CUDA programs.
$(B)/mutated/libcudart.so.11.0: $(MUTATED_OBJ) regress/tm/mutant_env.c $(CUDART_OBJ) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DSIMTX_MUTATE -shared -Wl,-soname,libcudart.so.11.0 \
	    -Wl,--version-script=frontend/cudart/cudart.map -o $@ regress/tm/mutant_env.c $(MUTATED_OBJ) $(CUDART_OBJ) $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS)
