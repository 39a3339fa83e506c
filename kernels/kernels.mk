# The CUDA programs: one source each, compiled as a user would compile it.  `make kernels` builds them all into
# $(B)/kernels, `make test-kernels` runs them (kernels/run.sh), `make demo` shows some (kernels/demo.sh).

KERNEL_DIRS := algorithms apps features numeric ordering si tm
KERNEL_SRC  := $(wildcard $(KERNEL_DIRS:%=kernels/%/*.cu))
KERNEL_BIN  := $(patsubst %.cu,$(B)/kernels/%,$(notdir $(KERNEL_SRC)))
# What compiling and linking a program takes, whichever folder provides it; none of it forces a recompilation.
KERNEL_NEEDS = $(B)/bin/simtx-cc $(B)/bin/simtx $(CUDA_TREE) $(LIBDEVICE) $(CUDART)

define compile_kernel
@mkdir -p $(@D)
$(B)/bin/simtx-cc -O2 $< -o $@
endef

# A program includes headers of its own folder, of kernels/ and of kernels/bench.
.SECONDEXPANSION:
define kernel_rule
$(B)/kernels/%: kernels/$(1)/%.cu $(wildcard kernels/*.h kernels/bench/*.h kernels/$(1)/*.h) | $$$$(KERNEL_NEEDS)
	$$(compile_kernel)
endef
$(foreach d,$(KERNEL_DIRS),$(eval $(call kernel_rule,$(d))))

.PHONY: kernels test-kernels test-ordering-programs
kernels: $(KERNEL_BIN)

ORDERING_BIN := $(patsubst %.cu,$(B)/kernels/%,$(notdir $(wildcard kernels/ordering/*.cu)))
OTHER_BIN    := $(filter-out $(ORDERING_BIN),$(KERNEL_BIN))

test-kernels: $(OTHER_BIN) $$(B)/bin/simtx
	kernels/run.sh $(B) $(notdir $(OTHER_BIN))

test-ordering-programs: $(ORDERING_BIN) $$(B)/bin/simtx
	kernels/run.sh $(B) $(notdir $(ORDERING_BIN))

TESTS          += test-kernels test-ordering-programs
THREADED_TESTS += test-kernels test-ordering-programs

demo: all $$(addprefix $$(B)/kernels/,$$(DEMO_PROGRAMS))
	kernels/demo.sh $(B) $(DEMO_PROGRAMS)

DEMO_PROGRAMS := vecadd gemm_tiled reduce bfs nbody tx_bank ray_tracer molecular_dynamics
