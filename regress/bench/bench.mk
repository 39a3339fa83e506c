# Speed: `make bench` writes $(B)/bench.json; `make bench-dispatch` repeats the comparison of ways of dispatch.
BENCHES += bench-speed bench-timing
.PHONY: bench-speed bench-timing bench-dispatch

$(B)/bench/kernels.ptx: regress/bench/kernels.cu | $(ALL)
	@mkdir -p $(@D)
	$(B)/bin/simtx-cc -O2 -ptx $< -o $@

$(B)/bench/startup: regress/bench/startup.cu | $(ALL)
	@mkdir -p $(@D)
	$(B)/bin/simtx-cc -O2 $< -o $@

$(B)/bench/bench: regress/bench/bench.c regress/bench/reference.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -O2 $^ -o $@ $(LDFLAGS) $(LDLIBS)

$(B)/bench/dispatch: regress/bench/dispatch.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -O3 -mavx2 -mfma $< -o $@ $(LDFLAGS)

bench-speed: $(B)/bench/bench $(B)/bench/kernels.ptx $(B)/bench/startup
	$(B)/bench/bench $(B)/bench/kernels.ptx $(B)/bench/startup $(B)/bench.json

$(B)/bench/bench_timing: regress/bench/timing.c regress/reference/workloads.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -O2 $^ -o $@ $(LDFLAGS) $(LDLIBS)

# after bench-speed, which writes the file anew
bench-timing: $(B)/bench/bench_timing bench-speed
	$(B)/bench/bench_timing regress/reference $(B)/bench.json

bench-dispatch: $(B)/bench/dispatch
	$(B)/bench/dispatch
