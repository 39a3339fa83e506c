# Tests of the command `simtx report`.
TESTS += test-report
.PHONY: test-report

$(B)/regress/report/check: regress/report/check.c regress/fail.h $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -o $@ $(LDFLAGS) -ljansson -lm

test-report: $(B)/bin/simtx $(CUDART) $(CONFIGS) $(addprefix $(B)/kernels/,bfs ht) $(B)/regress/report/check \
             $(B)/regress/paper/wellformed
	@regress/report/run.sh $(B)
