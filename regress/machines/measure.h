/*
 * What the microbenchmarks of a machine measure: the cycles that one more instruction of a chain costs, results a cycle
 * of an SM, bytes a cycle. Every function runs kernels on the preset MACHINE (machines.mk). Fetch is perfect where
 * instructions are measured, since the kernels are straight-line code and those of the publications are loops.
 */
#ifndef REGRESS_MACHINES_MEASURE_H
#define REGRESS_MACHINES_MEASURE_H

/* Cycles from an instruction to a dependent one. */
double measure_chain(const char *instructions);
/* Cycles of each of a chain of barriers, in a block of so many threads ("1024"). */
double measure_barrier(const char *threads);
/* The same for loads whose value is the address of the next one. */
double measure_shared(const char *unused);
/* Loads from shared memory with so many lanes in a bank ("8"). */
double measure_conflict(const char *lanes);
/* The same by all lanes at one address; the instruction loads %r0. */
double measure_shared_load(const char *instruction);
double measure_l1(const char *unused);
double measure_l2(const char *unused);
double measure_dram(const char *unused);
/* Loads that miss in L2 and in the TLBs of an overlay ("+tlb-volta"), each the first one from its page. */
double measure_tlb_miss(const char *overlay);
/* Constant loads over so many bytes ("2048"), 64 bytes apart, after a first pass. */
double measure_const(const char *bytes);
/* Constant loads that hit in L2. */
double measure_const_l2(const char *unused);
/* Cycles of an atomic on one word of shared or global memory by so many lanes ("32"), one after another. */
double measure_shared_atomic(const char *lanes);
double measure_global_atomic(const char *lanes);
double measure_global_cas(const char *lanes);

/* Results a cycle and SM. In the text, D stands for the numbers 8 to 15 in turn (destination registers), S for 0 to 7
 * (sources); "*N" after it: N results for each lane. */
double measure_rate(const char *instruction);
/* Tera-operations a second of the GPU; "*N": N operations for each lane, 2 in a multiply-add. */
double measure_peak(const char *instruction);
/* The same, measured on one SM and multiplied by gpu.sms: SMs share nothing that matrix instructions use, and all SMs
 * take long to simulate. */
double measure_tensor(const char *instruction);

/* KiB of the largest array whose second pass hits. */
double measure_const_kb(const char *unused);
double measure_l1_kb(const char *unused);

/* Bytes a cycle of an SM, of the GPU; GiB/s. */
double measure_l1_bytes(const char *unused);
double measure_shared_bytes(const char *unused);
double measure_l2_bytes(const char *unused);
double measure_dram_gib(const char *unused);

#endif
