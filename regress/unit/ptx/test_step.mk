# Stepping against functional mode; random programs are those of regress/random.
STEP_SRC := $(addprefix regress/unit/ptx/,test_step.c step_driver.c step_cases.c)

$(B)/regress/unit/test_step: $(STEP_SRC) $(RANDOM_DIR)/gen.o $(RANDOM_REF) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka -lmpfr -lgmp

TESTS += test-step
.PHONY: test-step
test-step: $(B)/regress/unit/test_step
	@regress/unit/run.sh $<
