# Analysis, decoding and execution. The loads and stores are built once per vector width, like the lane functions.
LIB_SRC += ptx/flow.c ptx/regalloc.c ptx/checkpoint.c ptx/decode.c ptx/program.c ptx/irrevocable.c ptx/devmem.c ptx/mem.c ptx/atom.c \
           ptx/simt.c ptx/run.c ptx/barrier.c ptx/call.c ptx/builtin.c ptx/fault.c ptx/block.c ptx/grid.c ptx/step.c ptx/txn.c ptx/txn_undo.c ptx/access.c ptx/access_bytes.c ptx/access_atom.c
LIB_EXTRA_OBJ += $(LANES_ISAS:%=$(B)/obj/ptx/mem_lanes.%.o)

define MEM_LANES_RULE
$$(B)/obj/ptx/mem_lanes.$(1).o: ptx/mem_lanes.c
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(LANES_CFLAGS) $$(LANES_$(1)) -DMEM_TABLE=mem_table_$(1) -DMEM_ADDRESSES=mem_addresses_$(1) -MMD -MP -c $$< -o $$@
endef
$(foreach isa,$(LANES_ISAS),$(eval $(call MEM_LANES_RULE,$(isa))))

# the compare-and-swap of 16 bytes behind 128-bit atomics
ifneq ($(filter x86_64 amd64,$(shell uname -m)),)
$(B)/obj/ptx/atom.o: CFLAGS += -mcx16
endif
