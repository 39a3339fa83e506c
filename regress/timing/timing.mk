# Timing mode from end to end.
$(B)/regress/timing/same_json: regress/timing/same_json.c regress/drop_host.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) -ljansson

$(B)/regress/timing/streams: regress/timing/streams.cu | $(ALL)
	@mkdir -p $(@D)
	$(B)/bin/simtx-cc -O2 $< -o $@

TIMING_PROGRAMS := cluster_histogram cluster_stencil bulk_pipeline tensor_tiles wgmma_gemm vecadd gemm_naive bfs reduce \
                   recursion device_printf convolution fft_convolution radix_sort \
                   stencil3d struct_args transpose vector_loads virtual_calls compaction

TESTS          += test-timing
THREADED_TESTS += test-timing
.PHONY: test-timing
test-timing: $(B)/regress/timing/same_json $(B)/regress/timing/streams $(TIMING_PROGRAMS:%=$(B)/kernels/%) $(CONFIGS)
	@regress/timing/run.sh $(B)
