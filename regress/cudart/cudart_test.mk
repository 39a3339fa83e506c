# Tests of libcudart and of the fat binary reader.
CUDART_TEST_DIR  := $(B)/regress/cudart
CUDART_TESTS     := fatbin header api launch elf driver graph graph_timing process release library conditional later \
                    carveout cluster
CUDART_TEST_BIN  := $(CUDART_TESTS:%=$(CUDART_TEST_DIR)/%_test) $(CUDART_TEST_DIR)/units \
                    $(patsubst %,$(CUDART_TEST_DIR)/units_%,static 12 13)
CUDART_TEST_LINK := -L$(B)/cuda/lib64 -lcudart -lcuda -Wl,-rpath,$(abspath $(B))/cuda/lib64

$(CUDART_TEST_DIR)/fatbin_test: regress/cudart/fatbin_test.c frontend/fatbin/fatbin.c frontend/fatbin/fatbin.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) -lcmocka -llz4 -lzstd

$(CUDART_TEST_DIR)/elf_test: regress/cudart/elf_test.c frontend/fatbin/fatbin.c frontend/fatbin/fatbin_elf.c \
                             $(CUDART_TEST_DIR)/units
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter %.c,$^) -o $@ $(LDFLAGS) $(CUDART_TEST_LINK) -lcmocka -llz4 -lzstd -lelf

$(CUDART_TEST_DIR)/%_test: regress/cudart/%_test.c regress/cudart/test.h $(B)/cuda/lib64/libcudart.so \
                          $(B)/cuda/lib64/libcuda.so
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS) $(CUDART_TEST_LINK) -lcmocka

# The documented command, with nothing but clang.
$(CUDART_TEST_DIR)/units: regress/cudart/units_a.cu regress/cudart/units_b.cu \
                          $(B)/cuda/lib64/libcudart.so $(B)/cuda/lib64/libcuda.so | all
	@mkdir -p $(@D)
	$(CLANGXX) --cuda-path=$(abspath $(B))/cuda --cuda-gpu-arch=sm_70 -O2 $(filter %.cu,$^) -o $@ \
	    $(CUDART_TEST_LINK)

# The same, with the runtime library linked statically, as nvcc does.
$(CUDART_TEST_DIR)/units_static: regress/cudart/units_a.cu regress/cudart/units_b.cu $(CUDART_STATIC) | all
	@mkdir -p $(@D)
	$(CLANGXX) --cuda-path=$(abspath $(B))/cuda --cuda-gpu-arch=sm_70 -O2 $(filter %.cu,$^) -o $@ \
	    -L$(B)/cuda/lib64 -lcudart_static -ldl -lrt -lpthread

# The same, as programs of CUDA 12 and 13 need the library.
$(CUDART_TEST_DIR)/units_%: regress/cudart/units_a.cu regress/cudart/units_b.cu $(B)/cuda/lib64/libcudart.so.% | all
	@mkdir -p $(@D)
	$(CLANGXX) --cuda-path=$(abspath $(B))/cuda --cuda-gpu-arch=sm_70 -O2 $(filter %.cu,$^) -o $@ \
	    -L$(B)/cuda/lib64 -l:libcudart.so.$* -Wl,-rpath,$(abspath $(B))/cuda/lib64

$(CUDART_TEST_DIR)/release_test $(CUDART_TEST_DIR)/later_test: \
    $(B)/cuda/lib64/libcudart.so.12 $(B)/cuda/lib64/libcudart.so.13

TESTS          += test-cudart
THREADED_TESTS += test-cudart
.PHONY: test-cudart
# Sanitizers call dlopen from their own library, so the run paths of the programs have no effect there.
test-cudart: $(CUDART_TEST_BIN)
	@$(if $(SANITIZE),LD_LIBRARY_PATH=$(abspath $(B))/cuda/lib64) regress/cudart/run.sh $^
