# Coherence protocols: over several load/store units, crossbars and partitions on a bench, and in the machine. `through`
# and `msi` are protocols for tests.
COHERENCE_TOYS := regress/coherence/msi.c regress/coherence/through.c
COHERENCE_TESTS := $(B)/regress/coherence/test_coherence $(B)/regress/coherence/test_machine

COHERENCE_RIG   := $(patsubst %,regress/coherence/%,rig.c rig.h coverage.c coverage.h)
COHERENCE_LOADS := 100000

$(B)/regress/coherence/test_coherence: $(COHERENCE_RIG)
$(B)/regress/coherence/test_protocols: $(COHERENCE_RIG) $(B)/lib/libsimtx.a \
        $(patsubst %,regress/coherence/%,tester.c tester.h tables.c tables.h test_protocols.c)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka
$(B)/regress/coherence/test_machine: regress/witness/lab.c regress/witness/lab.h regress/witness/programs.h
$(COHERENCE_TESTS): $(B)/regress/coherence/%: regress/coherence/%.c $(COHERENCE_TOYS) regress/coherence/toys.h \
                    $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS          += test-coherence
THREADED_TESTS += test-coherence
.PHONY: test-coherence
test-coherence: $(COHERENCE_TESTS)
	@regress/unit/run.sh $^

# Random accesses under the protocols of consistency/; coverage of their tables.
TESTS += test-protocols
.PHONY: test-protocols coherence-long
test-protocols: $(B)/regress/coherence/test_protocols
	@regress/coherence/protocols.sh $< $(COHERENCE_LOADS)

# Whole programs under them.
TESTS += test-coherence-programs
.PHONY: test-coherence-programs
test-coherence-programs: $(CONFIGS) $(patsubst %,$(B)/kernels/%,vecadd histogram scan_lookback bfs stencil2d transpose)
	@regress/coherence/programs.sh $(B)

LONG_TESTS += coherence-long
coherence-long: $(B)/regress/coherence/test_protocols
	@regress/coherence/protocols.sh $< 10000000
