# Golden outputs. `make golden` compares, `make golden-accept` writes the tables, `make golden-ptx` compiles the pinned PTX
# again, with the clang that made it.
GOLDEN_SRC      := $(wildcard regress/golden/*.c)
GOLDEN_CLANG    := clang++-19
GOLDEN_PTX      := $(wildcard regress/golden/ptx/*.ptx)
GOLDEN_PROGRAMS := $(patsubst regress/golden/ptx/%.ptx,$(B)/kernels/%,$(GOLDEN_PTX))

$(B)/regress/golden/golden: $(GOLDEN_SRC) regress/golden/golden.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(GOLDEN_SRC) -o $@ $(LDFLAGS) -ljansson

GOLDEN_NEEDS := $(B)/regress/golden/golden $(B)/bin/simtx $(CONFIGS) $(GOLDEN_PROGRAMS)

TESTS += golden golden-self
.PHONY: golden golden-accept golden-self golden-ptx
golden: $(GOLDEN_NEEDS)
	@$< $(B)

golden-accept: $(GOLDEN_NEEDS)
	@$< $(B) --accept

golden-self: $(GOLDEN_NEEDS)
	@regress/golden/run.sh $(B)

golden-ptx: all
	for ptx in $(GOLDEN_PTX); do \
	    source=$$(ls kernels/*.cu kernels/*/*.cu | grep "/$$(basename $$ptx .ptx)\.cu$$") && \
	    SIMTX_CLANG=$(GOLDEN_CLANG) $(B)/bin/simtx-cc -O2 -w -ptx $$source -o $$ptx || exit 1; \
	done
