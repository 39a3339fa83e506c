/*
 * The evaluation of Fung, Singh, Brownsword and Aamodt, Hardware Transactional Memory for GPU Architectures (MICRO
 * 2011): its benchmarks, configurations, pictures and claims. A row more is a run, a figure or a claim more.
 */
#include "frontend/paper/paper.h"

#define COUNT(a) ((int)(sizeof (a) / sizeof *(a)))

static const struct paper_bench benches[] = {
    { "HT-H", "ht", "--table high", "quick", { 2, 0.3 } },
    { "HT-L", "ht", "--table low", "quick", { 2, 0.3 } },
    { "ATM", "atm", "", "quick", { 10, 0.4 } },
    { "CL", "cl", "", "quick", { 18, 2 } },
    { "BH", "bh", "", "quick", { 15, 0.5 } },
    { "CC", "cc", "", "quick", { 8, 1 } },
    { "AP", "ap", "", "100", { 60, 1.3 } },
    { "TRANSFERS", "transfers", "", "quick", { 10, 0.4 } },
};

#define TM "tm", NULL
static const struct paper_config configs[] = {
    { "kl", "KILO TM, 2 warps", "kilotm", NULL, TM, SIZE_BOTH, true, 1 },
    { "fgl", "fine-grained locks", "kilotm+tm-locks", NULL, "fgl", NULL, SIZE_BOTH, true, 0.4 },
    { "ideal", "ideal TM", "kilotm+tm-ideal", NULL, TM, SIZE_BOTH, true, 0.5 },
    /* Warps wait for their turn as long as a run takes. */
    { "serial", "one transaction at a time", "kilotm+tm-serial", "sim.hang_cycles=1000000000", TM, SIZE_BOTH, true, 4 },
    { "klu", "KILO TM, no limit", "kilotm+tm-unlimited", NULL, TM, SIZE_BOTH, true, 1.4 },
    { "kl1", "KILO TM, 1 warp", "kilotm", "tm.warps=1", TM, SIZE_BOTH, true, 1.2 },
    { "kl4", "KILO TM, 4 warps", "kilotm", "tm.warps=4", TM, SIZE_BOTH, true, 1 },
    { "kl8", "KILO TM, 8 warps", "kilotm", "tm.warps=8", TM, SIZE_BOTH, true, 1.2 },
    { "kl16", "KILO TM, 16 warps", "kilotm", "tm.warps=16", TM, SIZE_BOTH, true, 1.4 },
    { "perfect", "perfect hazard detection", "kilotm+lwh-perfect", NULL, TM, SIZE_BOTH, true, 1 },
    { "lwh512", "last writer history of 512 bytes", "kilotm+lwh-512", NULL, TM, SIZE_BOTH, true, 1 },
    { "bf", "bloom filter array", "kilotm+bf-array", NULL, TM, SIZE_BOTH, true, 3 },
    { "uperfect", "no limit, perfect hazard detection", "kilotm+tm-unlimited+lwh-perfect", NULL, TM, SIZE_PAPER, true,
      1.4 },
    { "uhits", "no limit, perfect hazards, validation hits", "kilotm+tm-unlimited+lwh-perfect+ideal-validation", NULL,
      TM, SIZE_PAPER, true, 1.4 },
    { "nobackoff", "KILO TM, 2 warps, no back-off", "kilotm+no-backoff", NULL, TM, SIZE_BOTH, true, 1 },
    { "unobackoff", "KILO TM, no limit, no back-off", "kilotm+tm-unlimited+no-backoff", NULL, TM, SIZE_PAPER, true,
      1.4 },
    { "cas4", "locks, a quarter of the CAS throughput", "kilotm+tm-locks+cas-quarter", NULL, "fgl", NULL, SIZE_BOTH,
      true, 0.4 },
    { "finite", "KILO TM, finite units", "kilotm+finite-units", NULL, TM, SIZE_BOTH, true, 1 },
    { "far", "KILO TM, commit units as far from L2 as SMs", "kilotm", "kilotm.l2_latency=0", TM, SIZE_BOTH, true, 1 },
    { "sig1024", "ideal TM, signatures of 1024 bits", "kilotm+tm-ideal",
      "tm.ideal_detection=signature;tm.signature_bits=1024", "tm", "CL+BH+AP", SIZE_BOTH, true, 0.5 },
    { "sig512", "ideal TM, signatures of 512 bits", "kilotm+tm-ideal",
      "tm.ideal_detection=signature;tm.signature_bits=512", "tm", "CL+BH+AP", SIZE_BOTH, true, 0.5 },
    { "ring512", "ideal TM, ring of signatures of 512 bits", "kilotm+tm-ideal",
      "tm.ideal_detection=ring;tm.signature_bits=512", "tm", "CL+BH+AP", SIZE_BOTH, true, 0.5 },
    { "lock", "one lock for all", "kilotm+tm-locks", NULL, "lock", NULL, SIZE_QUICK, true, 5 },
    { "count", "blocks of an SM by simtx's own count", "quadro-fx5800", NULL, TM, SIZE_BOTH, false, 0.1 },
    { "machine13", "KILO TM on the machine of 2013", "micro2013", NULL, "tm", "TRANSFERS", SIZE_BOTH, true, 1 },
    { "ideal13", "ideal TM on the machine of 2013", "micro2013+tm-ideal", NULL, "tm", "TRANSFERS", SIZE_BOTH, true,
      0.5 },
    { "bfsize", "bloom filter array, finite units", "kilotm+finite-units+bf-array", NULL, TM, 0, true, 0 },
};

static const struct paper_named lists[] = {
    { "all", "HT-H+HT-L+ATM+CL+BH+CC+AP" },
    { "signed", "CL+BH+AP" },
    { "limits", "kl1+kl+kl4+kl8+kl16+klu" },
};

/* Names for what is computed from figures of the statistics; paper_value.c tells what else has a name. */
static const struct paper_named derived[] = {
    { "time", "cycles" },
    { "speedup", "time@serial / time" },
    { "slowdown", "time / time@ideal" },
    { "by_locks", "time@fgl / time" },
    { "by_kilo", "time / time@kl" },
    { "commits", "tm.commits" },
    { "aborts", "tm.aborts / tm.commits" },
    { "most_aborts", "h.tm.aborts.max" },
    { "tx_instructions", "tm.instructions / tm.commits" },
    { "reads", "tm.read_words / tm.commits" },
    { "most_reads", "h.tm.read_set.max" },
    { "writes", "tm.write_words / tm.commits" },
    { "most_writes", "h.tm.write_set.max" },
    { "concurrent", "tm.max_concurrent" },
    { "restored", "tm.restored_registers / tm.commits" },
    { "false_conflicts", "tm.false_conflicts / tm.aborts" },
    { "validation_hits", "(cu.validation.hits + cu.validation.pending) / cu.validations" },
    { "validation_pending", "cu.validation.pending / cu.validations" },
    { "hit_gain", "time@uperfect / time@uhits" },
    { "dram_efficiency_gain", "dram.efficiency@uperfect / dram.efficiency@uhits" },
    { "dram_use_gain", "dram.utilisation@uperfect / dram.utilisation@uhits" },
    { "fits_reads", "cu.sets.read_up_to_8 / h.cu.read_buffer.n" },
    { "fits_writes", "cu.sets.write_up_to_8 / h.cu.write_buffer.n" },
    { "false_hazards", "cu.false_hazards / cu.entries" },
    { "revalidations", "cu.revalidations / cu.entries" },
    /* Thread cycles, shares of all. */
    { "thread_cycles", "tm.state.tc + tm.state.to + tm.state.tw + tm.state.ta + tm.state.tu + tm.state.at + "
                       "tm.state.ba + tm.state.nl" },
    { "tc", "tm.state.tc / thread_cycles" },
    { "to", "tm.state.to / thread_cycles" },
    { "tw", "tm.state.tw / thread_cycles" },
    { "ta", "tm.state.ta / thread_cycles" },
    { "tu", "tm.state.tu / thread_cycles" },
    { "at", "tm.state.at / thread_cycles" },
    { "ba", "tm.state.ba / thread_cycles" },
    { "nl", "tm.state.nl / thread_cycles" },
    /* Core cycles, likewise. */
    { "core_cycles", "class.exec + class.stall + class.scrb + class.idle" },
    { "exec", "class.exec / core_cycles" },
    { "stall", "class.stall / core_cycles" },
    { "scrb", "class.scrb / core_cycles" },
    { "idle", "class.idle / core_cycles" },
    /* A ring, on average over the cycles in which anything is in it; buffers of either kind. */
    { "ring_all", "cu.ring.all / cu.cycles" },
    { "ring_accessed", "cu.ring.accessed / cu.cycles" },
    { "ring_used", "(cu.ring.used_read + cu.ring.used_write) / cu.cycles" },
    { "ring_needed", "(cu.ring.needed_read + cu.ring.needed_write) / cu.cycles" },
};

static const struct paper_figure figures[] = {
    { "table1", "Table 1: thread instructions a core cycle", "instructions a cycle", "all", "ideal+fgl", "IPC = ipc",
      CHART_TABLE, false, false },
    { "table2", "Table 2: benchmarks (KILO TM without limit; instructions: ideal TM)", "", "all", NULL,
      "instructions = thread_instructions@ideal; block = block@ideal; grid = grid@ideal; "
      "blocks of an SM = resident_blocks@ideal; by own count = resident_blocks@count; transactions = commits@klu; "
      "instructions each = tx_instructions@klu; aborts = aborts@klu; most = most_aborts@klu; reads = reads@klu; "
      "most reads = most_reads@klu; writes = writes@klu; most writes = most_writes@klu; at once = concurrent@klu",
      CHART_TABLE, false, false },
    { "fig2", "Fig. 2: speed-up over one transaction at a time", "speed-up", "all", "fgl+ideal", "speed-up = speedup",
      CHART_BARS, true, true },
    { "fig6", "Fig. 6: execution time by ideal TM's", "time by ideal TM's", "all", "klu+kl+fgl", "time = slowdown",
      CHART_BARS, true, false },
    { "fig7", "Fig. 7: aborts of a transaction", "aborts", "all", "klu+kl+ideal", "aborts = aborts", CHART_BARS, true,
      false },
    { "fig8", "Fig. 8: speed-up over one transaction at a time, by concurrency limit", "speed-up", "all",
      "kl1+kl+kl4+kl8+kl16+klu", "speed-up = speedup", CHART_LINES, true, true },
    { "fig9", "Fig. 9: thread cycles, scaled by execution time and ideal TM's", "time by ideal TM's", "all",
      "fgl+ideal+kl+klu",
      "TC concurrency control = (tc * slowdown); TO committing = (to * slowdown); "
      "TW waiting for the warp = (tw * slowdown); TA aborted = (ta * slowdown); TU useful = (tu * slowdown); "
      "AT locks and atomics = (at * slowdown); BA barrier = (ba * slowdown); NL other = (nl * slowdown)", CHART_STACK,
      false, false },
    { "fig10", "Fig. 10: core cycles, scaled by execution time and ideal TM's", "time by ideal TM's", "all",
      "fgl+ideal+kl+klu", "EXEC = (exec * slowdown); STALL = (stall * slowdown); SCRB = (scrb * slowdown); "
      "IDLE = (idle * slowdown)", CHART_STACK, false, false },
    { "fig11read", "Fig. 11: words of a read set at a commit unit, cumulative", "share of entries", "all", "kl",
      "words = h.cu.read_buffer", CHART_CDF, false, false },
    { "fig11write", "Fig. 11: words of a write set at a commit unit, cumulative", "share of entries", "all", "kl",
      "words = h.cu.write_buffer", CHART_CDF, false, false },
    { "fig12", "Fig. 12: buffers of a commit unit (2 warps)", "buffers", "all", NULL,
      "All, mean = (2 * ring_all@kl); Accessed, mean = (2 * ring_accessed@kl); Used, mean = ring_used@kl; "
      "Needed, mean = ring_needed@kl; All, most = (2 * h.cu.entries.max@kl); "
      "Needed, most = (h.cu.needed_read.max + h.cu.needed_write.max)@kl", CHART_BARS, true, false },
    { "sec313", "Sections 3.1.3, 4.2: false conflicts, of all", "share of aborts", "signed", "sig1024+sig512+ring512",
      "false = false_conflicts", CHART_BARS, false, false },
    { "sec631hits", "Section 6.3.1: validation that hits L2", "share", "all", "kl+klu",
      "hits = validation_hits; of these, line outstanding = validation_pending", CHART_TABLE, false, false },
    { "sec631", "Section 6.3.1: gain by validation that always hits L2 (no limit, perfect hazards)", "speed-up", "all",
      NULL, "gain = hit_gain; DRAM efficiency = dram_efficiency_gain; DRAM utilisation = dram_use_gain", CHART_BARS,
      true, false },
    { "sec632", "Section 6.3.2: time with other hazard detection, by that of the history of 5 kB", "time", "all",
      "perfect+lwh512+bf", "time = by_kilo", CHART_BARS, true, false },
    { "hazards", "Hazards of an entry: false ones, and entries validated again", "share of entries", "all",
      "kl+lwh512+bf+klu", "false = false_hazards; again = revalidations", CHART_TABLE, false, false },
    { "variants", "Beyond the paper: time by KILO TM's with 2 warps", "time", "all", "nobackoff+finite+far+fgl+cas4",
      "time = by_kilo", CHART_BARS, true, false },
    { "authors", "Transfers on the machine of 2013, beside the authors' published simulator",
      "", "TRANSFERS", "ideal13+machine13", "core cycles = time; aborts = tm.aborts", CHART_TABLE, false, false },
    { "serial", "The serialised reference: hardware, and one lock (reduced sizes)", "core cycles", "all", "serial+lock",
      "cycles = time; by the lock's = (time / time@lock)", CHART_TABLE, false, false },
};

/*
 * Values of single runs of the simulator that the authors published, on its machine of 2013 (core cycles of 700 MHz);
 * and gains as ratios (1.11), which claims judge as changes (0.11).
 */
static const struct paper_point points[] = {
    { "ATM", "hit_gain", SIZE_PAPER, 1.11 }, { "CL", "hit_gain", SIZE_PAPER, 1.17 },
    { "ATM", "dram_efficiency_gain", SIZE_PAPER, 1.05 }, { "HT-L", "dram_use_gain", SIZE_PAPER, 1.05 },
    { "TRANSFERS", "time@ideal13", SIZE_QUICK, 7599 }, { "TRANSFERS", "tm.aborts@ideal13", SIZE_QUICK, 212 },
    { "TRANSFERS", "time@machine13", SIZE_QUICK, 18357 }, { "TRANSFERS", "tm.aborts@machine13", SIZE_QUICK, 70 },
    { "TRANSFERS", "time@ideal13", SIZE_PAPER, 351972 }, { "TRANSFERS", "tm.aborts@ideal13", SIZE_PAPER, 1015 },
    { "TRANSFERS", "time@machine13", SIZE_PAPER, 382984 }, { "TRANSFERS", "tm.aborts@machine13", SIZE_PAPER, 330 },
};

/* What is shown as the reason for a result. */
#define WHERE \
    "TO no limit = to@klu; TA no limit = ta@klu; aborts no limit = aborts@klu; " \
    "revalidated no limit = revalidations@klu; TC 2 warps = tc@kl; TO 2 warps = to@kl; aborts 2 warps = aborts@kl; " \
    "revalidated 2 warps = revalidations@kl; aborts ideal = aborts@ideal; AT locks = at@fgl"
#define LOCKS \
    "AT locks = at@fgl; NL locks = nl@fgl; TO 2 warps = to@kl; TC 2 warps = tc@kl; aborts 2 warps = aborts@kl"
#define ABORTS \
    "no limit = aborts@klu; 2 warps = aborts@kl; ideal = aborts@ideal; no limit, no back-off = aborts@unobackoff"
#define LIMITS \
    "cycles with 1 = time@kl1; 2 = time@kl; 4 = time@kl4; 8 = time@kl8; 16 warps = time@kl16; no limit = time@klu"
#define SIGNATURES \
    "1024 bits = false_conflicts@sig1024; 512 bits = false_conflicts@sig512; ring = false_conflicts@ring512"
#define VALIDATION \
    "hits 2 warps = validation_hits@kl; hits no limit = validation_hits@klu; " \
    "line outstanding = validation_pending@klu; gain if all hit = hit_gain"
#define HAZARDS \
    "false hazards of an entry = false_hazards@kl; revalidated = revalidations@kl; " \
    "distance = h.cu.revalidation_distance.mean@kl"
#define RING \
    "mean = ring_all@kl; accessed = ring_accessed@kl; used = ring_used@kl; needed = ring_needed@kl; " \
    "most = h.cu.entries.max@kl"

#define PAPER SIZE_PAPER
#define BOTH SIZE_BOTH
#define CLAIM(id, wording, benches, expr, kind, published, tolerance, sizes, basis, because) \
    { id, wording, benches, expr, CLAIM_##kind, published, tolerance, sizes, BASIS_##basis, because },
static const struct paper_claim claims[] = {
#include "tm/kilotm/claims.def"
};

const struct paper paper_kilotm = {
    "kilotm", "Hardware Transactional Memory for GPU Architectures (Fung et al., MICRO 2011)",
    "The last column has the figures of the statistics that show where the time went; shares of thread cycles, aborts "
    "of a transaction.", NULL,
    "stats.thread_states=true",
    benches, configs, derived, lists, figures, claims, points,
    COUNT(benches), COUNT(configs), COUNT(derived), COUNT(lists), COUNT(figures), COUNT(claims), COUNT(points)
};
