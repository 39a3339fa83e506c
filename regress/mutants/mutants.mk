# Deliberate faults: tables of them (*.faults), and finders, the programs that are linked with the changed objects and
# look for the fault. docs/mutants.md says how faults and finders are added; head.md and tail.md are its text.
MUTANT_TABLES := $(sort $(wildcard regress/mutants/faults/*.faults))
MUTANT_TABLE  := $(B)/regress/mutants/table
MUTANT_JOBS   := $(shell nproc)

FINDERS := kilo unit rules warp warp_rules sitm sitm_rules ordered shared flip store witness coherence protocols \
           dram occupancy carveout mbarrier bulk tensor schedule policies reservations litmus vmem traffic machine \
           dispatch partition lsu tlb l2_fetch combine combine_rule assembler behaviour sm races
FINDER_kilo   := regress/mutants/kilo.c regress/mutants/finder.c regress/tm/programs.c regress/witness/lab.c
FINDER_unit   := regress/mutants/unit.c regress/mutants/finder.c regress/unit/tm/cu_rig.c
FINDER_rules  := regress/unit/tm/test_cu_rules.c
RANDOM_FINDER := regress/mutants/random_kernels.c regress/mutants/finder.c \
                 $(patsubst %,regress/tm/random/%.c,gen near machines)
FINDER_warp   := regress/mutants/warp.c $(RANDOM_FINDER)
FINDER_warp_rules := regress/unit/tm/test_warptm.c
FINDER_sitm   := $(patsubst %,regress/mutants/%.c,sitm finder) $(wildcard regress/unit/sitm/sitm_*.c)
FINDER_sitm_rules := regress/unit/sitm/test_sitm_rules.c
FINDER_ordered := regress/unit/tm/test_ordered.c
FINDER_shared := regress/mutants/shared.c $(RANDOM_FINDER)
FINDER_flip   := regress/mutants/flip.c regress/mutants/finder.c regress/tm/programs.c regress/witness/lab.c
FINDER_store  := regress/mutants/store.c regress/mutants/finder.c regress/witness/lab.c
FINDER_witness   := regress/witness/witness.c regress/witness/lab.c
FINDER_coherence := $(patsubst %,regress/coherence/%.c,test_coherence rig coverage msi through)
FINDER_protocols := $(patsubst %,regress/coherence/%.c,tester rig coverage) \
                    $(patsubst %,regress/mutants/%.c,protocols finder)
FINDER_dram      := regress/unit/memsys/test_dram.c
FINDER_vmem      := regress/unit/memsys/test_vmem.c
FINDER_traffic   := regress/unit/memsys/test_dram_traffic.c
FINDER_partition := regress/unit/memsys/test_partition.c
FINDER_lsu       := $(patsubst %,regress/unit/memsys/%.c,test_lsu lsu_rig lsu_random)
FINDER_tlb       := regress/unit/memsys/test_tlb.c
FINDER_l2_fetch  := regress/unit/frontend/test_l2_fetch.c
FINDER_dispatch  := regress/unit/timing/test_dispatch.c
FINDER_sm        := $(patsubst %,regress/unit/%.c,timing/test_sm timing/sm_rig ptx/step_driver)
FINDER_machine   := regress/unit/timing/test_machine.c
FINDER_policies  := regress/order/test_policies.c $(COHERENCE_TOYS) regress/witness/lab.c
FINDER_reservations    := regress/order/test_reservations.c
FINDER_litmus    := $(FRONTEND_CMD)
FINDER_occupancy := regress/unit/frontend/test_occupancy.c
FINDER_carveout  := regress/unit/frontend/test_carveout.c
FINDER_mbarrier  := regress/unit/ptx/test_mbarrier.c
FINDER_bulk      := regress/unit/ptx/test_bulk.c
FINDER_tensor    := regress/unit/ptx/test_tensor.c
FINDER_schedule  := regress/unit/ptx/test_schedule.c
FINDER_combine   := regress/unit/timing/test_combine.c
FINDER_combine_rule := regress/unit/timing/test_combine_rule.c
FINDER_assembler := regress/unit/ptx/test_assembler.c
FINDER_races     := regress/races/random.c
FINDER_behaviour := $(wildcard regress/conformance/*.c regress/conformance/*/*.c)

# What a finder consists of besides the changed objects, how it is linked with them: $(call LINK_FINDER,name,objects).
$(foreach f,$(FINDERS),$(eval FINDER_NEEDS_$(f) = $(FINDER_$(f):%.c=$(B)/obj/%.o) $(B)/lib/libsimtx.a))
FINDER_NEEDS_cuda = $(CUDART_OBJ) $(B)/lib/libsimtx.a
FINDER_NEEDS_sitm_cuda = $(FINDER_NEEDS_cuda)
LINK_FINDER = $(CC) $(LINK_FLAGS_$(1)) -s -o $@ $(filter %.o,$(FINDER_NEEDS_$(1))) $(2) $(LDFLAGS) \
              $(B)/lib/libsimtx.a $(LDLIBS) -lcmocka
LINK_FLAGS_behaviour = -Wl,--no-as-needed -lmpfr -lgmp
LINK_FLAGS_reservations = $(RESERVATIONS_WRAP)
LINK_FLAGS_cuda = -shared -Wl,-soname,libcudart.so.11.0 -Wl,--version-script=frontend/cudart/cudart.map
LINK_FLAGS_sitm_cuda = $(LINK_FLAGS_cuda)

$(MUTANT_TABLE): regress/mutants/table.c base/alloc.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ $(LDFLAGS)

# Rules for every fault: mutants.sh writes them, then calls make with them.
ifdef MUTANT_RULES
include $(MUTANT_RULES)
endif

MUTANTS = MAKE="$(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(MUTANT_JOBS))" BUILD=$(B) \
          JOBS=$(MUTANT_JOBS) SIMTX_CONFIG_DIR=$(PRESETS) regress/mutants/mutants.sh

# `make test`: the texts of all faults, and a part of the searches (`few` in the tables).
TESTS += test-mutants
.PHONY: test-mutants mutants
test-mutants: $(MUTANT_TABLE) $(CONFIGS)
	@regress/mutants/self.sh $(B)
	+@$(MUTANTS) few $(MUTANT_TABLES)

# All of them; then the page is written anew.
LONG_TESTS += mutants
mutants: $(MUTANT_TABLE) $(CONFIGS) $(B)/regress/tm/crossing \
         $(patsubst %,$(B)/kernels/%,ht bh transfers write_skew red_black_tree rings)
	+@$(MUTANTS) all $(MUTANT_TABLES); status=$$?; \
	regress/mutants/page.sh $(B) $(MUTANT_TABLES) >docs/mutants.md; exit $$status
