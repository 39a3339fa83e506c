# Every instruction against the reference, on every vector width of this machine; see conformance.c.
CONF_DIR  := $(B)/regress/conformance
CONF_REF  := $(patsubst regress/conformance/%.c,$(CONF_DIR)/%.o,$(wildcard regress/conformance/ref/*.c))
CONF_SRC  := $(wildcard regress/conformance/*.c regress/conformance/*/*.c)
CONF_OBJ  := $(CONF_SRC:regress/conformance/%.c=$(CONF_DIR)/%.o)
CONF_LIBS := $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lmpfr -lgmp

$(CONF_DIR)/%.o: regress/conformance/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

$(CONF_DIR)/conformance: $(CONF_OBJ) $(B)/lib/libsimtx.a
	$(CC) -o $@ $(CONF_OBJ) $(CONF_LIBS)

# Operands tried for a combination of types and modifiers; f16 and bf16 operands that stand alone are exhausted always.
CONF_VECTORS ?= 500

TESTS += test-conformance
.PHONY: test-conformance conformance-long conformance-clang
test-conformance: $(CONF_DIR)/conformance
	@$< --vectors $(CONF_VECTORS) --hash $(CONF_DIR)/gcc.hash

# SEED=2 for other random operands
conformance-long: $(CONF_DIR)/conformance
	$< --vectors 65536 --seed $(or $(SEED),1)
LONG_TESTS += conformance-long

# The library built by clang must give the same bits: the hashes of all results, by vector width.
conformance-clang: test-conformance
	$(MAKE) B=build-clang CC=$(CLANG) build-clang/regress/conformance/conformance
	build-clang/regress/conformance/conformance --vectors $(CONF_VECTORS) --hash $(CONF_DIR)/clang.hash
	cmp $(CONF_DIR)/gcc.hash $(CONF_DIR)/clang.hash

-include $(CONF_OBJ:.o=.d)
