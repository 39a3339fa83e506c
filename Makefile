# simtx: build, demo, test, bench, install.  `make help` lists the targets.
#
# Each folder says in its own .mk file what it adds: LIB_SRC (sources of libsimtx), ALL (things that `make all`
# builds), TESTS (phony targets that `make test` runs), THREADED_TESTS (those of them that use several host threads),
# LONG_TESTS (those of `make test-long`), BENCHES.  Everything built lands under $(B).

B        ?= build
CC       ?= gcc
ifeq ($(origin CC),default)
CC       := gcc
endif
# Device code is compiled by clang: the first of these versions that is installed, unless CLANG names one.
CLANG_VERSIONS := 19 18 17 16 15 14
CLANG_FOUND    := $(foreach v,$(CLANG_VERSIONS),$(if $(shell command -v clang-$(v)),$(v)))
CLANG    ?= $(if $(CLANG_FOUND),clang-$(firstword $(CLANG_FOUND)),clang)
CLANGXX  ?= $(if $(findstring /,$(CLANG)),$(dir $(CLANG)))$(patsubst clang%,clang++%,$(notdir $(CLANG)))
CLANG_MAJOR := $(firstword $(subst ., ,$(shell $(CLANG) -dumpversion)))
# In the tests simtx-cc uses the same compiler where the user names one.
ifneq ($(filter command environment,$(firstword $(origin CLANG))),)
export SIMTX_CLANG ?= $(CLANGXX)
endif
PREFIX   ?= /usr/local
OPT      ?= -O2 -g
# For the folders whose code runs in every simulated cycle: each names itself in its .mk file.
HOT_OPT  := $(if $(filter -O2,$(OPT)),-O3)
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wno-unused-parameter
SANITIZE ?=
# -ffp-contract=off: the semantics of an instruction are what its row says, never fused behind its back.
CFLAGS   := -std=c17 -D_GNU_SOURCE $(OPT) $(WARN) -fopenmp-simd -ffp-contract=off -fno-math-errno -fPIC \
            -fno-semantic-interposition -pthread -I. -I$(B)/gen $(SANITIZE) $(EXTRA_CFLAGS)
LDFLAGS  := $(SANITIZE) $(EXTRA_LDFLAGS)
LDLIBS   := -lconfig -ljansson -llz4 -lzstd -lz -lelf -lm -lpthread

.DEFAULT_GOAL := all
LIB_SRC  :=
ALL      :=
TESTS    :=
THREADED_TESTS :=
LONG_TESTS :=
BENCHES  :=

include $(sort $(wildcard */*.mk) $(wildcard */*/*.mk))

LIB_OBJ  := $(LIB_SRC:%.c=$(B)/obj/%.o) $(LIB_EXTRA_OBJ)

.PHONY: all demo test test-long test-times bench install clean help
all: $(ALL)

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/lib/libsimtx.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	ar rcs $@ $^

$(B)/lib/libsimtx.so: $(LIB_OBJ) frontend/lib/simtx.map
	@mkdir -p $(@D)
	$(CC) -shared -Wl,-soname,libsimtx.so -Wl,--version-script=frontend/lib/simtx.map -o $@ $(LIB_OBJ) $(LDFLAGS) $(LDLIBS)

# Every test target in turn, to the end; the last line sums up. test-long: tests that take too long for every day.
test: all
	+@MAKE="$(MAKE)" LIMIT=2760 regress/summary.sh $(B)/test-times.tsv $(TESTS)
test-long: all
	+@MAKE="$(MAKE)" regress/summary.sh $(B)/test-long-times.tsv $(LONG_TESTS)

# The table of docs/testing.md, from the last `make test`.
test-times:
	@regress/times.sh $(B)/test-times.tsv docs/testing.md

bench: all $(BENCHES)

clean:
	rm -rf $(B) $(B)-sanitize $(B)-threads

help:
	@echo "make all       simtx, simtx-cc, libcudart and the CUDA directory under $(B)/"
	@echo "make kernels   the CUDA programs of kernels/, which simtx paper runs, in $(B)/kernels"
	@echo "make demo      compile CUDA programs with clang, run them, check their results"
	@echo "make test      every test; the last line says N passed, N failed"
	@echo "make test-long the tests that take hours: every configuration, long searches, every deliberate fault"
	@echo "make golden    compares runs on every machine with the tables of regress/golden; golden-accept rewrites them"
	@echo "make correlation  cycles of 24 kernels beside GPGPU-Sim's, written to docs/correlation.md with their plot"
	@echo "make litmus    every litmus test under every ordering policy and coherence protocol"
	@echo "make mutants   runs the tests against every deliberate fault, and writes docs/mutants.md"
	@echo "make sanitize  every test with checks of addresses, leaks and undefined behaviour compiled in"
	@echo "make sanitize-threads  the tests that use several host threads, with a check for data races"
	@echo "make bench     speed figures, also written to $(B)/bench.json"
	@echo "make install   PREFIX=$(PREFIX)"
	@echo "Options: SANITIZE=-fsanitize=address,undefined  CC=clang  OPT='-O0 -g'  B=otherdir"

-include $(shell find $(B) -name '*.d' 2>/dev/null)
