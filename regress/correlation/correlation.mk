# Cycles of 24 small kernels beside GPGPU-Sim's: `make correlation` prints the table, and writes docs/correlation.md
# with its plot and with what each mechanism is worth.
CORRELATION_SRC := $(wildcard regress/correlation/*.c)
CORRELATION_BIN := $(B)/regress/correlation/correlation

$(CORRELATION_BIN): $(CORRELATION_SRC) $(wildcard regress/correlation/*.h) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CORRELATION_SRC) $(B)/lib/libsimtx.a -o $@ $(LDFLAGS) $(LDLIBS)

TESTS += test-correlation
.PHONY: correlation test-correlation
test-correlation: $(CORRELATION_BIN) $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< regress/correlation
correlation: $(CORRELATION_BIN) $(CONFIGS)
	@SIMTX_CONFIG_DIR=$(PRESETS) $< regress/correlation --svg docs/correlation.svg
	@SIMTX_CONFIG_DIR=$(PRESETS) regress/correlation/document.sh $< docs/correlation.md
