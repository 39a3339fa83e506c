# PTX texts that announce their messages in comments.
$(B)/regress/errors/run: regress/errors/run.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS)

TESTS += test-errors
.PHONY: test-errors
test-errors: $(B)/regress/errors/run
	@$< $(sort $(wildcard regress/errors/*.ptx))
