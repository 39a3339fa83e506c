# What users look at in timing mode: timeline, time series, statistics, hang reports, Ctrl-C, progress.
$(B)/regress/watch/check: regress/watch/check.c regress/fail.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) -ljansson -lz

TESTS          += test-watch
THREADED_TESTS += test-watch
.PHONY: test-watch
test-watch: $(B)/regress/watch/check $(B)/regress/timing/same_json $(B)/bin/simtx $(CONFIGS)
	@regress/watch/run.sh $(B)
