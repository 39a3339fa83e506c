# The CUDA programs: one source each, compiled as a user would compile it.  `make kernels` builds them all into
# $(B)/kernels, `make test-kernels` runs them (kernels/run.sh), `make demo` shows some (kernels/demo.sh).

KERNEL_SRC  := $(wildcard kernels/*.cu kernels/apps/*.cu kernels/tm/*.cu)
KERNEL_HDR  := $(wildcard kernels/*.h kernels/apps/*.h kernels/tm/*.h)
KERNEL_BIN  := $(patsubst %.cu,$(B)/kernels/%,$(notdir $(KERNEL_SRC)))
# What compiling and linking a program takes, whichever folder provides it; none of it forces a recompilation.
KERNEL_NEEDS = $(B)/bin/simtx-cc $(B)/bin/simtx $(CUDA_TREE) $(LIBDEVICE) $(CUDART)

.SECONDEXPANSION:
$(B)/kernels/%: kernels/%.cu $(KERNEL_HDR) | $$(KERNEL_NEEDS)
	@mkdir -p $(@D)
	$(B)/bin/simtx-cc -O2 $< -o $@

$(B)/kernels/%: kernels/apps/%.cu $(KERNEL_HDR) | $$(KERNEL_NEEDS)
	@mkdir -p $(@D)
	$(B)/bin/simtx-cc -O2 $< -o $@

$(B)/kernels/%: kernels/tm/%.cu $(KERNEL_HDR) | $$(KERNEL_NEEDS)
	@mkdir -p $(@D)
	$(B)/bin/simtx-cc -O2 $< -o $@

.PHONY: kernels test-kernels
kernels: $(KERNEL_BIN)

test-kernels: $(KERNEL_BIN) $$(B)/bin/simtx
	kernels/run.sh $(B)

TESTS          += test-kernels
THREADED_TESTS += test-kernels

demo: all $$(addprefix $$(B)/kernels/,$$(DEMO_PROGRAMS))
	kernels/demo.sh $(B) $(DEMO_PROGRAMS)

DEMO_PROGRAMS := vecadd gemm_tiled reduce bfs nbody tx_bank ray_tracer molecular_dynamics
