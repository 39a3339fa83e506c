# The memory system: everything between a warp's access and DRAM.
LIB_SRC += $(wildcard memsys/*.c memsys/*/*.c)
$(B)/obj/memsys/%.o: CFLAGS += $(HOT_OPT)

# Unit tests of its parts, regress/unit/memsys/test_NAME.c: `make test-NAME` runs one, `make test-memsys` all.
MEMSYS_TESTS += clock
MEMSYS_TESTS += port
MEMSYS_TESTS += tags
MEMSYS_TESTS += tlb
MEMSYS_TESTS += partition
MEMSYS_TESTS += pattern
MEMSYS_TESTS += partition_random
MEMSYS_TESTS += versions
MEMSYS_TESTS += vmem
MEMSYS_TESTS += order_oracle
MEMSYS_TESTS += xbar

TESTS          += test-memsys
THREADED_TESTS += test-memsys
.PHONY: test-memsys $(MEMSYS_TESTS:%=test-%)
test-memsys: $(MEMSYS_TESTS:%=$(B)/regress/unit/test_%)
	@regress/unit/run.sh $^

$(MEMSYS_TESTS:%=test-%): test-%: $(B)/regress/unit/test_%
	@$<

$(MEMSYS_TESTS:%=$(B)/regress/unit/test_%): $(B)/regress/unit/test_%: regress/unit/memsys/test_%.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a -lcmocka $(LDLIBS)
