# The instruction table and the lane functions. The families in ptx/lanes/ are compiled once per vector width; ISA
# names the width and ends the names of its functions. No contraction, no libm: the bits are the same in all of them.
LANES_FILES  := partial int logic float half cmp cvt warp video pair
LANES_CFLAGS := -O3 -fopenmp-simd -fwrapv -fno-strict-aliasing -fno-trapping-math -Wno-pass-failed
LANES_base   :=
LANES_avx2   := -mavx2 -mfma -mf16c -mbmi2
LANES_avx512 := $(LANES_avx2) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512
LANES_ISAS   := base $(if $(filter x86_64 amd64,$(shell uname -m)),avx2 avx512)

define LANES_RULE
$$(B)/obj/ptx/lanes/%.$(1).o: ptx/lanes/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(LANES_CFLAGS) $$(LANES_$(1)) -DISA=$(1) -MMD -MP -c $$< -o $$@
endef
$(foreach isa,$(LANES_ISAS),$(eval $(call LANES_RULE,$(isa))))
LIB_EXTRA_OBJ += $(foreach isa,$(LANES_ISAS),$(LANES_FILES:%=$(B)/obj/ptx/lanes/%.$(isa).o))

TESTS += test-lanes
.PHONY: test-lanes bench-lanes
test-lanes: $(B)/regress/unit/test_lanes
	@$<

$(B)/regress/unit/test_lanes: regress/unit/ptx/test_lanes.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a -lcmocka $(LDLIBS)

# Nanoseconds per warp instruction; not part of `make bench`.
bench-lanes: $(B)/regress/bench/lanes_bench
	@$<

$(B)/regress/bench/lanes_bench: regress/bench/lanes_bench.c $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS)
