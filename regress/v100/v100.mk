# The preset v100 beside published measurements of the chip: `make v100-doc` writes the table of docs/v100.md, test-v100
# measures again and compares with the publications and with that table.
V100_BIN := $(B)/regress/v100/v100

$(V100_BIN): $(wildcard regress/v100/*.[ch] regress/v100/*.def) $(wildcard regress/micro/harness.[ch]) \
             $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -o $@ $(LDFLAGS) $(LDLIBS)

TESTS += test-v100
.PHONY: test-v100 v100-doc
test-v100: $(V100_BIN) $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< docs/v100.md
v100-doc: $(V100_BIN) $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< docs/v100.md --write
