# Everything that knows what a PTX instruction means. The loads and stores are built once per vector width.
LIB_SRC += ptx/types.c ptx/flow.c ptx/regalloc.c ptx/decode.c ptx/program.c ptx/devmem.c ptx/mem.c ptx/atom.c \
           ptx/simt.c ptx/run.c ptx/barrier.c ptx/call.c ptx/builtin.c ptx/fault.c ptx/block.c ptx/grid.c

MEM_ISAS := base avx2 avx512
MEM_FLAGS_base   :=
MEM_FLAGS_avx2   := -mavx2 -mfma -mbmi -mbmi2
MEM_FLAGS_avx512 := $(MEM_FLAGS_avx2) -mavx512f -mavx512bw -mavx512dq -mavx512vl
ifneq ($(shell uname -m),x86_64)
MEM_ISAS := base
endif
LIB_EXTRA_OBJ += $(MEM_ISAS:%=$(B)/obj/ptx/mem_lanes_%.o)

$(B)/obj/ptx/mem_lanes_%.o: ptx/mem_lanes.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -O3 -fopenmp-simd $(MEM_FLAGS_$*) -DMEM_TABLE=mem_table_$* -MMD -MP -c $< -o $@
