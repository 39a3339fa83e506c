# A protocol with eager conflict detection on the machine.
EAGER_SRC := regress/tm/eager.c regress/tm/eager_unit.c

$(B)/regress/tm/test_eager: regress/tm/test_eager.c $(EAGER_SRC) regress/tm/eager.h regress/tm/programs.h \
                            regress/witness/lab.c regress/witness/lab.h $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS += test-eager
.PHONY: test-eager
test-eager: $(B)/regress/tm/test_eager
	@regress/unit/run.sh $^
