# Coherence protocols for tests: over several load/store units, crossbars and partitions on a bench, and in the machine.
COHERENCE_TOYS := regress/coherence/msi.c regress/coherence/through.c
COHERENCE_TESTS := $(B)/regress/coherence/test_coherence $(B)/regress/coherence/test_machine

$(B)/regress/coherence/test_coherence: regress/coherence/rig.c regress/coherence/rig.h
$(B)/regress/coherence/test_machine: regress/witness/lab.c regress/witness/lab.h regress/witness/programs.h
$(COHERENCE_TESTS): $(B)/regress/coherence/%: regress/coherence/%.c $(COHERENCE_TOYS) regress/coherence/toys.h $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS          += test-coherence
THREADED_TESTS += test-coherence
.PHONY: test-coherence
test-coherence: $(COHERENCE_TESTS)
	@regress/unit/run.sh $^
