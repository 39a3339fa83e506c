# Cycle counts against the incumbent simulator's on the same PTX, and the workloads that the speed benchmark shares.
$(B)/regress/reference/reference: regress/reference/reference.c regress/reference/workloads.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ $(LDFLAGS) $(LDLIBS)

TESTS += test-reference
.PHONY: test-reference
test-reference: $(B)/regress/reference/reference $(CONFIGS)
	@$< regress/reference

# The measured part of docs/timing.md.
.PHONY: reference-doc
reference-doc: $(B)/regress/reference/reference $(CONFIGS)
	regress/reference/document.sh $(B) docs/timing.md
