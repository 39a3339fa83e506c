# Witnesses that values are bound when accesses are performed.
$(B)/regress/witness/witness: regress/witness/witness.c regress/witness/lab.c regress/witness/lab.h regress/witness/programs.h $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka

TESTS          += test-witness
THREADED_TESTS += test-witness
.PHONY: test-witness
test-witness: $(B)/regress/witness/witness
	@regress/unit/run.sh $<
