# Unit tests (cmocka): every test_*.c of this folder is a program, linked with libsimtx.a.  A test with an .mk file of
# its own, or a target elsewhere (lanes, the memory system's), is run by that.
UNIT_ELSEWHERE := lanes sm_parts sm_programs txn_undo txn_faults txn_random localtm_random $(MEMSYS_TESTS) $(patsubst regress/unit/test_%.mk,%,$(wildcard regress/unit/test_*.mk))
UNIT_NAMES := $(filter-out $(UNIT_ELSEWHERE),$(patsubst regress/unit/test_%.c,%,$(wildcard regress/unit/test_*.c)))
UNIT_BIN   := $(UNIT_NAMES:%=$(B)/regress/unit/test_%)

$(UNIT_BIN): $(B)/regress/unit/test_%: regress/unit/test_%.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a -lcmocka $(LDLIBS)

TESTS          += unit
THREADED_TESTS += unit
.PHONY: unit
unit: $(UNIT_BIN) $(CONFIGS)
	@SIMTX_CONFIG_DIR=configs regress/unit/run.sh $(UNIT_BIN)
