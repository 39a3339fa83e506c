# Tests of the commands `simtx paper` and `simtx cost`.
TESTS += paper
.PHONY: paper

$(B)/regress/paper/wellformed: regress/paper/wellformed.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS)

paper: $(B)/bin/simtx $(CONFIGS) $(addprefix $(B)/kernels/,ht cl lht lcases gemm messages list binary_tree) \
       $(B)/regress/paper/wellformed
	@regress/paper/run.sh $(B)
