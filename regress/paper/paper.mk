# Tests of `simtx paper` and `simtx cost`: the language of figures, the tables of claims, and the commands.
TESTS += test-paper paper
.PHONY: test-paper paper

PAPER_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard frontend/paper*.c) frontend/expr.c frontend/cost.c frontend/cmd_common.c)

test-paper: $(B)/regress/unit/test_paper $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(B)/share/simtx/configs $<

$(B)/regress/unit/test_paper: regress/unit/test_paper.c $(PAPER_OBJ) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(PAPER_OBJ) $(LDFLAGS) $(B)/lib/libsimtx.a -lcmocka $(LDLIBS)

$(B)/regress/paper/wellformed: regress/paper/wellformed.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS)

paper: $(B)/bin/simtx $(CONFIGS) $(B)/kernels/ht $(B)/kernels/cl $(B)/regress/paper/wellformed
	@regress/paper/run.sh $(B)
