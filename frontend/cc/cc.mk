# simtx-cc, and the link nvcc to it.
CC_SRC := $(wildcard frontend/cc/*.c)
CC_OBJ := $(CC_SRC:%.c=$(B)/obj/%.o)

comma := ,
$(B)/obj/frontend/cc/clang.o: CFLAGS += -DCLANG_VERSIONS='$(subst $(eval ) ,$(comma),$(strip $(CLANG_VERSIONS)))'

$(B)/bin/simtx-cc: $(CC_OBJ) $(B)/lib/libsimtx.a
	@mkdir -p $(@D)
	$(CC) -o $@ $^ $(LDFLAGS)

$(B)/bin/nvcc: $(B)/bin/simtx-cc
	@ln -sf simtx-cc $@

# Makefiles call $(CUDA_DIR)/bin/nvcc.
$(B)/cuda/bin/nvcc: $(B)/bin/simtx-cc
	@mkdir -p $(@D)
	@ln -sf ../../bin/simtx-cc $@

ALL += $(B)/bin/simtx-cc $(B)/bin/nvcc $(B)/cuda/bin/nvcc
