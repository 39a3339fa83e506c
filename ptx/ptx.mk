# Analysis, decoding and execution. The loads and stores are built once per vector width, like the lane functions.
LIB_SRC += $(filter-out $(LANES_FILES:%=ptx/lanes/%.c) ptx/memory/mem_lanes.c,$(wildcard ptx/*/*.c))
LIB_EXTRA_OBJ += $(LANES_ISAS:%=$(B)/obj/ptx/memory/mem_lanes.%.o)
$(B)/obj/ptx/exec/%.o $(B)/obj/ptx/memory/%.o $(B)/obj/ptx/watch/%.o: CFLAGS += $(HOT_OPT)

define MEM_LANES_RULE
$$(B)/obj/ptx/memory/mem_lanes.$(1).o: ptx/memory/mem_lanes.c
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(LANES_CFLAGS) $$(LANES_$(1)) $(if $(filter-out base,$(1)),-mbmi) \
	    -DMEM_TABLE=mem_table_$(1) -DMEM_ADDRESSES=mem_addresses_$(1) -DMEM_INSIDE=mem_inside_$(1) \
	    -DMEM_INDEXED=mem_indexed_$(1) -MMD -MP -c $$< -o $$@
endef
$(foreach isa,$(LANES_ISAS),$(eval $(call MEM_LANES_RULE,$(isa))))

# x86-64 processors since 2008 have both: counts of lanes, and the compare-and-swap of 16 bytes behind 128-bit atomics
ifneq ($(filter x86_64 amd64,$(shell uname -m)),)
$(B)/obj/ptx/exec/%.o: CFLAGS += -mpopcnt
$(B)/obj/ptx/memory/atom.o: CFLAGS += -mcx16
endif
