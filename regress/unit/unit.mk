# Unit tests (cmocka): every test_NAME.c is a program, linked with libsimtx.a; the folders are named after those of what
# they test.  A test with an .mk file of its own, or a target elsewhere (lanes, the memory system's), is run by that.
UNIT_SRC       := $(wildcard regress/unit/*/test_*.c)
UNIT_ELSEWHERE := lanes sm_parts sm_programs txn_undo txn_faults txn_random localtm_random $(MEMSYS_TESTS) \
                  $(patsubst test_%.mk,%,$(notdir $(wildcard regress/unit/*/test_*.mk)))
UNIT_NAMES     := $(filter-out $(UNIT_ELSEWHERE),$(patsubst test_%.c,%,$(notdir $(UNIT_SRC))))
UNIT_BIN       := $(UNIT_NAMES:%=$(B)/regress/unit/test_%)
vpath test_%.c $(sort $(dir $(UNIT_SRC)))

$(UNIT_BIN): $(B)/regress/unit/test_%: test_%.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a -lcmocka $(LDLIBS)

TESTS          += unit
THREADED_TESTS += unit
.PHONY: unit
unit: $(UNIT_BIN) $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) regress/unit/run.sh $(UNIT_BIN)

include $(wildcard regress/unit/*/*.mk)
