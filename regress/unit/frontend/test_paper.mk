# What `simtx paper` and `simtx cost` compute with: parts of the command, which libsimtx does not have.
TESTS += test-paper
.PHONY: test-paper
PAPER_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard frontend/page/*.c frontend/paper/*.c) \
             $(wildcard frontend/sweep/run_*.c frontend/sweep/batch.c frontend/sweep/batch_files.c) \
             frontend/cli/cost.c frontend/cli/cmd_library.c frontend/cli/cmd_options.c frontend/session/atomic_file.c)

test-paper: $(B)/regress/unit/test_paper $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(B)/share/simtx/configs $<

$(B)/regress/unit/test_paper: regress/unit/frontend/test_paper.c $(PAPER_OBJ) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(PAPER_OBJ) $(LDFLAGS) $(B)/lib/libsimtx.a -lcmocka $(LDLIBS)
