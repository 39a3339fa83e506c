# Litmus tests: the enumerators of memory models against each other and against what is known, the machine against them.
LITMUS_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard frontend/litmus/*.c))

$(B)/regress/litmus/test_litmus: regress/litmus/test_litmus.c regress/litmus/generate.c regress/litmus/generate.h \
                                 $(LITMUS_OBJ) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.o %.a,$^) -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka

$(B)/regress/litmus/diy: regress/litmus/diy.c regress/litmus/generate.c regress/litmus/generate.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS)

TESTS += test-litmus
.PHONY: test-litmus litmus
test-litmus: $(B)/regress/litmus/test_litmus $(B)/regress/litmus/diy $(B)/bin/simtx $(CONFIGS)
	@regress/unit/run.sh $<
	@regress/litmus/run.sh $(B)

# Every test under every policy and every protocol; LITMUS_RUNS outcomes of each; LITMUS_ROWS="tso,mesi sc,none": these.
LITMUS_RUNS ?= 2000
LITMUS_ROWS ?=
LONG_TESTS += litmus
litmus: $(B)/regress/litmus/diy $(B)/bin/simtx $(CONFIGS)
	@regress/litmus/all.sh $(B) $(LITMUS_RUNS) $(LITMUS_ROWS)
