# Order policies for tests, in the machine.
ORDER_SRC := regress/order/test_order.c regress/order/toys.c $(COHERENCE_TOYS) regress/witness/lab.c
ORDER_HDR := regress/order/toys.h regress/coherence/toys.h regress/witness/lab.h regress/witness/programs.h
$(B)/regress/order/test_order: $(ORDER_SRC) $(ORDER_HDR) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka

TESTS          += test-order
THREADED_TESTS += test-order
.PHONY: test-order
test-order: $(B)/regress/order/test_order
	@regress/unit/run.sh $<
