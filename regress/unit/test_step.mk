# Stepping against functional mode; random programs are those of regress/random.
$(B)/regress/unit/test_step: regress/unit/test_step.c regress/unit/step_driver.c regress/unit/step_cases.c $(RANDOM_DIR)/gen.o $(RANDOM_REF) \
                             $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka -lmpfr -lgmp

TESTS += test-step
.PHONY: test-step
test-step: $(B)/regress/unit/test_step
	@regress/unit/run.sh $<
