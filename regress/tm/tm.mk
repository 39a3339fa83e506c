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

# Logs and their addresses.
$(B)/regress/tm/test_logs: regress/tm/test_logs.c $(TX_LAB) $(TX_LAB_H) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS += test-logs
.PHONY: test-logs
test-logs: $(B)/regress/tm/test_logs
	@regress/unit/run.sh $^
