# Transactions on the machine: a protocol with eager conflict detection.
TX_LAB    := regress/tm/programs.c regress/witness/lab.c
TX_LAB_H  := regress/tm/programs.h regress/witness/lab.h
EAGER_SRC := regress/tm/eager.c regress/tm/eager_unit.c

$(B)/regress/tm/test_eager: regress/tm/test_eager.c $(EAGER_SRC) regress/tm/eager.h $(TX_LAB) $(TX_LAB_H) \
                            $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS += test-eager
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
