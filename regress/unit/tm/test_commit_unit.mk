# The commit unit in a random machine.
$(B)/regress/unit/test_commit_unit: $(addprefix regress/unit/tm/,test_commit_unit.c cu_rig.c cu_rig.h) \
                                    $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c %.a,$^) -o $@ $(LDFLAGS) -lcmocka $(LDLIBS)

TESTS += test-commit-unit
.PHONY: test-commit-unit
test-commit-unit: $(B)/regress/unit/test_commit_unit
	@regress/unit/run.sh $^
