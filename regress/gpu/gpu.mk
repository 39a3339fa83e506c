# For people who have a GPU: `make conformance-gpu` runs the vectors of test-conformance on it, `make correlation-gpu`
# times the kernels of test-correlation, `make litmus-gpu` runs litmus tests, `make probe-gpu`
# microbenchmarks. They load libcuda.so.1, or what LIBCUDA names; simtx's own is their test.
GPU_DIR  := $(B)/regress/gpu
GPU_OBJ  := $(patsubst regress/gpu/%.c,$(GPU_DIR)/%.o,$(wildcard regress/gpu/*.c))
GPU_CONF := $(patsubst %.c,$(B)/%.o,$(wildcard regress/conformance/*.c regress/conformance/*/*.c))
GPU_CONF := $(filter-out $(B)/regress/conformance/device.o %/behave_texture.o,$(GPU_CONF)) \
            $(GPU_DIR)/library.o $(GPU_DIR)/device_gpu.o
GPU_CORR := $(GPU_DIR)/correlation_gpu.o $(GPU_DIR)/library.o $(B)/obj/regress/correlation/cases.o
GPU_LITMUS := $(GPU_DIR)/litmus_gpu.o $(GPU_DIR)/litmus_harness.o $(GPU_DIR)/library.o \
              $(patsubst %.c,$(B)/obj/%.o,regress/litmus/generate.c \
                $(filter-out frontend/litmus/litmus_run.c,$(wildcard frontend/litmus/*.c)))

$(GPU_DIR)/%.o: regress/gpu/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

$(GPU_DIR)/conformance_gpu: $(GPU_CONF) $(B)/lib/libsimtx.a
	$(CC) -o $@ $(GPU_CONF) $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -lmpfr -lgmp -ldl

$(GPU_DIR)/correlation_gpu: $(GPU_CORR) $(B)/lib/libsimtx.a
	$(CC) -o $@ $(GPU_CORR) $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -ldl

$(GPU_DIR)/litmus_gpu: $(GPU_LITMUS) $(B)/lib/libsimtx.a
	$(CC) -o $@ $(GPU_LITMUS) $(LDFLAGS) $(B)/lib/libsimtx.a -ljansson -ldl -lpthread

$(GPU_DIR)/probe_gpu: $(GPU_DIR)/probe.o $(GPU_DIR)/library.o $(B)/lib/libsimtx.a
	$(CC) -o $@ $(GPU_DIR)/probe.o $(GPU_DIR)/library.o $(LDFLAGS) $(B)/lib/libsimtx.a $(LDLIBS) -ldl

$(GPU_DIR)/probe: $(GPU_DIR)/probe.o $(B)/lib/libsimtx.a
	$(CC) -o $@ $^ $(LDFLAGS) $(LDLIBS)

# ONLY=TEXT: instructions whose names contain the text. LITMUS_GPU, PROBE_GPU: options of litmus_gpu, probe_gpu.
LITMUS_GPU ?= --generated 10000 --out $(B)/litmus-gpu.tsv
.PHONY: conformance-gpu correlation-gpu litmus-gpu probe-gpu test-gpu-tools
conformance-gpu: $(GPU_DIR)/conformance_gpu
	$< --vectors $(CONF_VECTORS) --only "$(ONLY)"
correlation-gpu: $(GPU_DIR)/correlation_gpu
	$< regress/correlation
litmus-gpu: $(GPU_DIR)/litmus_gpu
	$< $(wildcard regress/litmus/*/*.litmus) $(LITMUS_GPU)

probe-gpu: $(GPU_DIR)/probe_gpu
	$< $(PROBE_GPU)

TESTS += test-gpu-tools
test-gpu-tools: $(GPU_DIR)/conformance_gpu $(GPU_DIR)/correlation_gpu $(GPU_DIR)/litmus_gpu \
                $(GPU_DIR)/probe $(GPU_DIR)/probe_gpu $(CONFIGS) | all
	@regress/gpu/run.sh $(abspath $(B))

-include $(GPU_OBJ:.o=.d)
