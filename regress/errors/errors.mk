# PTX texts that announce their messages in comments, and damaged texts.
$(B)/regress/errors/%: regress/errors/%.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS)

MUTATIONS ?= 100

TESTS += test-errors test-mutate
.PHONY: test-errors test-mutate
test-errors: $(B)/regress/errors/run
	@$< $(sort $(wildcard regress/errors/*.ptx))

# MUTATIONS=100000 SANITIZE=-fsanitize=address,undefined B=build-san for a long search
test-mutate: $(B)/regress/errors/mutate
	@$< 1 $(MUTATIONS) $(sort $(wildcard regress/errors/*.ptx))
