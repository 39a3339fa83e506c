# Presets beside published measurements of the chips, for each list of figures MACHINE.def: `make MACHINE-doc` writes the
# table of docs/MACHINE.md, test-MACHINE measures again and compares with the publications and with that table.
MACHINES := $(patsubst regress/machines/%.def,%,$(wildcard regress/machines/*.def))
MACHINE_BINS := $(MACHINES:%=$(B)/regress/machines/%)

$(MACHINE_BINS): $(B)/regress/machines/%: regress/machines/%.def regress/machines/machines.c \
                 $(wildcard regress/machines/measure.[ch]) $(wildcard regress/machines/document.[ch]) \
                 $(wildcard regress/micro/harness.[ch]) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DMACHINE='"$*"' -DFIGURES='"$<"' $(filter %.c %.a,$^) -o $@ $(LDFLAGS) $(LDLIBS)

MACHINE_TESTS := $(MACHINES:%=test-%)
TESTS += $(MACHINE_TESTS)
.PHONY: $(MACHINE_TESTS) $(MACHINES:%=%-doc)
# Chips with hardware counters of the kernels of regress/correlation (captured/MACHINE-correlation.tsv).
COUNTED := $(patsubst regress/gpu/captured/%-correlation.tsv,%,$(wildcard regress/gpu/captured/*-correlation.tsv))
COUNTED_BINS := $(COUNTED:%=$(B)/regress/machines/%-counters)

$(COUNTED_BINS): $(B)/regress/machines/%-counters: regress/machines/counters.c regress/machines/document.c regress/micro/harness.c \
                 $(B)/obj/regress/correlation/cases.o $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -DMACHINE='"$*"' $^ -o $@ $(LDFLAGS) $(LDLIBS)

COUNTED_TESTS := $(COUNTED:%=test-%-counters)
TESTS += $(COUNTED_TESTS)
.PHONY: $(COUNTED_TESTS) $(COUNTED:%=%-counters-doc)
$(COUNTED_TESTS): test-%-counters: $(B)/regress/machines/%-counters $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< docs/$*.md regress/correlation regress/gpu/captured/$*-correlation.tsv
$(COUNTED:%=%-counters-doc): %-counters-doc: $(B)/regress/machines/%-counters $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< docs/$*.md regress/correlation regress/gpu/captured/$*-correlation.tsv --write
$(COUNTED:%=%-doc): %-doc: %-counters-doc

$(MACHINE_TESTS): test-%: $(B)/regress/machines/% $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< docs/$*.md
$(MACHINES:%=%-doc): %-doc: $(B)/regress/machines/% $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< docs/$*.md --write
