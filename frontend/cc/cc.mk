# simtx-cc, and its other name nvcc.
CC_SRC := frontend/cc/simtx-cc.c frontend/cc/options.c
CC_OBJ := $(CC_SRC:%.c=$(B)/obj/%.o)

$(B)/bin/simtx-cc: $(CC_OBJ)
	@mkdir -p $(@D)
	$(CC) -o $@ $^ $(LDFLAGS)

$(B)/bin/nvcc: $(B)/bin/simtx-cc
	@ln -sf simtx-cc $@

ALL += $(B)/bin/simtx-cc $(B)/bin/nvcc
