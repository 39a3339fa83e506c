# GPU-LocalTM by itself: its objects over a common part that only notes what it is told.
LOCALTM_OBJ   := $(patsubst %.c,$(B)/obj/%.o,$(wildcard tm/localtm/*.c))
LOCALTM_TESTS := $(addprefix $(B)/regress/unit/,test_localtm test_localtm_random)

$(LOCALTM_TESTS): $(B)/regress/unit/%: regress/unit/tm/%.c regress/unit/tm/localtm_rig.c regress/unit/tm/localtm_rig.h \
                  $(LOCALTM_OBJ) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.o %.a,$^) -o $@ $(LDFLAGS) $(LDLIBS) -lcmocka

TESTS += test-localtm
.PHONY: test-localtm
test-localtm: $(LOCALTM_TESTS)
	@regress/unit/run.sh $^
