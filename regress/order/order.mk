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

# The product's policies.
POLICIES_SRC := regress/order/test_policies.c $(COHERENCE_TOYS) regress/witness/lab.c
POLICIES_HDR := regress/coherence/toys.h regress/witness/lab.h regress/witness/programs.h
$(B)/regress/order/test_policies: $(POLICIES_SRC) $(POLICIES_HDR) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka

# Each operation that orders accesses.
OPERATIONS_SRC := regress/order/test_operations.c $(COHERENCE_TOYS) regress/witness/lab.c
$(B)/regress/order/test_operations: $(OPERATIONS_SRC) $(POLICIES_HDR) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka

TESTS          += test-policies
THREADED_TESTS += test-policies
.PHONY: test-policies
test-policies: $(B)/regress/order/test_policies $(B)/regress/order/test_operations
	@regress/unit/run.sh $^

# The rules of type-aware sequential consistency, without the simulator.
$(B)/regress/order/test_rules: regress/order/test_rules.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) -lcmocka

# Its stage in one SM, without load/store unit and classifiers.
RESERVATIONS_WRAP := $(patsubst %,-Wl$(comma)--wrap=stage_%,packet send has_port wake block shared_lines)
$(B)/regress/order/test_reservations: regress/order/test_reservations.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(RESERVATIONS_WRAP) -MMD -MP $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS += test-order-rules
.PHONY: test-order-rules
test-order-rules: $(B)/regress/order/test_rules $(B)/regress/order/test_reservations
	@regress/unit/run.sh $^

# Programs under policies, protocols and transactions.
TESTS += test-order-programs
.PHONY: test-order-programs
test-order-programs: $(B)/bin/simtx $(CUDART) $(CONFIGS) \
                     $(patsubst %,$(B)/kernels/%,work_queue stencil_flags placement ht lht)
	@regress/order/programs.sh $(B)
