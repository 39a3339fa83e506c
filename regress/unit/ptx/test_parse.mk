# The parser's unit tests.
$(B)/regress/unit/test_parse: regress/unit/ptx/test_parse.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka

TESTS += test-parse
.PHONY: test-parse
test-parse: $(B)/regress/unit/test_parse
	@$< 2>&1
