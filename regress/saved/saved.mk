# Saved states: --save-at and --restore.
TESTS += test-saved
.PHONY: test-saved
SAVED_PROGRAMS := bfs conjugate_gradient barnes_hut managed_memory device_malloc device_printf radix_sort ht \
                  device_query

$(B)/regress/saved/steps: regress/saved/steps.cu | $(KERNEL_NEEDS)
	@mkdir -p $(@D)
	$(B)/bin/simtx-cc -O2 $< -o $@
SAVED_TOOLS := $(addprefix $(B)/regress/saved/,other_version moved_page)
$(SAVED_TOOLS): $(B)/regress/saved/%: regress/saved/%.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS)

test-saved: $(B)/bin/simtx $(CONFIGS) $(CUDART) $(SAVED_PROGRAMS:%=$(B)/kernels/%) $(B)/regress/saved/steps \
            $(SAVED_TOOLS)
	@regress/saved/run.sh $(B)
