# Golden outputs. `make golden` compares, `make golden-accept` writes the tables, `make golden-ptx` compiles the pinned
# device code again; comments of the compiler are left out of it.
GOLDEN_SRC   := $(wildcard regress/golden/*.c) base/alloc.c base/arena.c
GOLDEN_NAMES := $(filter-out file,$(sort $(shell sed -n 's/^[^\#|]*| *\([a-z][a-z_0-9]*\) *|.*/\1/p' \
                                               regress/golden/programs.txt)))
GOLDEN_CLANG := clang++-19
GOLDEN_PTX   := $(GOLDEN_NAMES:%=golden-ptx-%)

$(B)/regress/golden/golden: $(GOLDEN_SRC) regress/golden/golden.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(GOLDEN_SRC) -o $@ $(LDFLAGS) -ljansson

GOLDEN_NEEDS := $(B)/regress/golden/golden $(B)/bin/simtx $(CONFIGS) $(GOLDEN_NAMES:%=$(B)/kernels/%)

TESTS += golden golden-self
.PHONY: golden golden-accept golden-self golden-ptx $(GOLDEN_PTX)
golden: $(GOLDEN_NEEDS)
	@$< $(B)

golden-accept: $(GOLDEN_NEEDS)
	@$< $(B) --accept

golden-self: $(GOLDEN_NEEDS)
	@regress/golden/run.sh $(B)

golden-ptx: $(GOLDEN_PTX)
$(GOLDEN_PTX): golden-ptx-%: all
	@mkdir -p $(B)/golden
	SIMTX_CLANG=$(GOLDEN_CLANG) $(B)/bin/simtx-cc -O2 -w -ptx $(wildcard kernels/*/$*.cu) \
	    -o $(B)/golden/$*.ptx
	@sed 's,[ \t]*//.*$$,,; /^$$/d' $(B)/golden/$*.ptx >regress/golden/ptx/$*.ptx
