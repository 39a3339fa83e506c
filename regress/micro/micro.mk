# What the machine's parts cost, against the configuration.
$(B)/regress/micro/micro: regress/micro/micro.c regress/micro/harness.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ $(LDFLAGS) $(LDLIBS)

TESTS += test-micro
.PHONY: test-micro
test-micro: $(B)/regress/micro/micro $(CONFIGS)
	@$<
