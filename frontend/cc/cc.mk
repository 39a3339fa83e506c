# simtx-cc, and the link nvcc to it.
CC_SRC := frontend/cc/simtx-cc.c frontend/cc/options.c frontend/cc/clang.c frontend/cc/tempdir.c
CC_OBJ := $(CC_SRC:%.c=$(B)/obj/%.o)

comma := ,
$(B)/obj/frontend/cc/clang.o: CFLAGS += -DCLANG_VERSIONS='$(subst $(eval ) ,$(comma),$(strip $(CLANG_VERSIONS)))'

$(B)/bin/simtx-cc: $(CC_OBJ)
	@mkdir -p $(@D)
	$(CC) -o $@ $^ $(LDFLAGS)

$(B)/bin/nvcc: $(B)/bin/simtx-cc
	@ln -sf simtx-cc $@

ALL += $(B)/bin/simtx-cc $(B)/bin/nvcc
