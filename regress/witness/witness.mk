# Witnesses that values are bound when accesses are performed.
$(B)/regress/witness/witness: $(wildcard regress/witness/*.[ch]) regress/drop_host.h $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka

TESTS          += test-witness
THREADED_TESTS += test-witness
.PHONY: test-witness
test-witness: $(B)/regress/witness/witness
	@regress/unit/run.sh $<
