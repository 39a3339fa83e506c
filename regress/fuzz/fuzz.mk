# Fuzzing with clang's libFuzzer and sanitizers: `make fuzz` replays what once failed and searches for a few
# seconds; `make fuzz-long SECONDS=600 FUZZ=ptx` searches on, keeping what it learns under $(B)/fuzz/corpus.
FUZZ_TARGETS  := ptx run launch fatbin
FUZZ_B        := $(B)/fuzz
FUZZ_SECONDS  ?= 10
SECONDS       ?= 300
FUZZ          ?= $(FUZZ_TARGETS)
FUZZ_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined
FUZZ_COVER    := -fsanitize-coverage=inline-8bit-counters,pc-table \
                 -fsanitize-coverage-ignorelist=$(abspath regress/fuzz/uncounted.txt)
FUZZ_COMMON   := regress/fuzz/harness.c regress/fuzz/gen.c
FUZZ_BIN      := $(FUZZ_TARGETS:%=$(FUZZ_B)/fuzz_%)
FUZZ_FLAGS    := -fsanitize=fuzzer $(FUZZ_SANITIZE)

.PHONY: fuzz fuzz-long fuzz-build test-fuzz
$(FUZZ_B)/lib/libsimtx.a: fuzz-build ;
fuzz-build:
	@$(MAKE) --no-print-directory B=$(FUZZ_B) FUZZ_B=$(FUZZ_B)/none CC=$(CLANG) OPT="-O1 -g" \
	    SANITIZE="$(FUZZ_SANITIZE) $(FUZZ_COVER)" $(FUZZ_B)/lib/libsimtx.a

$(FUZZ_BIN): $(FUZZ_B)/fuzz_%: regress/fuzz/fuzz_%.c $(FUZZ_COMMON) $(wildcard regress/fuzz/*.h) \
                               frontend/fatbin.c frontend/fatbin_elf.c $(FUZZ_B)/lib/libsimtx.a
	$(CLANG) $(filter-out -O2,$(CFLAGS)) -O1 $(FUZZ_FLAGS) $(filter regress/%.c,$^) \
	    $(if $(filter fatbin,$*),$(filter frontend/%.c,$^)) -o $@ $(FUZZ_B)/lib/libsimtx.a $(LDLIBS)

$(FUZZ_B)/seeds: regress/fuzz/seeds.c frontend/fatbin.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) -llz4 -lzstd

FUZZ_TEXTS := regress/fuzz/seeds regress/errors regress/faults regress/determinism

$(FUZZ_B)/corpus/made: $(FUZZ_B)/seeds $(wildcard $(FUZZ_TEXTS:%=%/*.ptx))
	@mkdir -p $(FUZZ_TARGETS:%=$(FUZZ_B)/corpus/%)
	@$< $(FUZZ_B)/corpus regress/fuzz/seeds/everything.ptx
	@for d in $(FUZZ_TEXTS); do \
	    to=$(FUZZ_B)/corpus/ptx/$$(basename $$d); mkdir -p $$to && cp $$d/*.ptx $$to/ || exit 1; \
	done
	@touch $@

TESTS += test-fuzz
fuzz: test-fuzz
test-fuzz: $(FUZZ_BIN) $(FUZZ_B)/corpus/made
	@FUZZ_SECONDS=$(FUZZ_SECONDS) regress/fuzz/run.sh $(FUZZ_B) $(FUZZ_TARGETS)

fuzz-long: $(FUZZ_BIN) $(FUZZ_B)/corpus/made
	@FUZZ_SECONDS=$(SECONDS) FUZZ_KEEP=1 regress/fuzz/run.sh $(FUZZ_B) $(FUZZ)
LONG_TESTS += fuzz-long
