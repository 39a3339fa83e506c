# Tests of the command `simtx report`.
TESTS += test-report
.PHONY: test-report

$(B)/regress/report/check: regress/report/check.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) -ljansson -lm

test-report: $(B)/bin/simtx $(CUDART) $(CONFIGS) $(addprefix $(B)/kernels/,bfs ht) $(B)/regress/report/check \
             $(B)/regress/paper/wellformed
	@regress/report/run.sh $(B)
