/*
 * The evaluation of Villegas, Navarro, Asenjo and Plata's transactional memory in the local memory of a GPU: the paper
 * in English, GPU-LocalTM (with Ubal, Schaa and Kaeli), and the Spanish one before it, Memoria Transaccional Hardware
 * en Memoria Local de GPU. Programs, configurations, pictures and claims, as in paper_kilotm.c.
 */
#include "frontend/paper/paper.h"

#define COUNT(a) ((int)(sizeof (a) / sizeof *(a)))

#define HT(n) { "HT" #n, "lht", "--buckets " #n, "quick", { 0.15, 0.15 } }
#define KM(n) { "KM" #n, "km", "--centres " #n, "quick", { 0.1, 0.1 } }
#define GA(n) { "GA" #n, "ga", "--solutions " #n, "quick", { 0.1, 0.1 } }
#define CASE(name, option) { name, "lcases", "--case " option, "quick", { 0.1, 0.1 } }
static const struct paper_bench benches[] = {
    HT(2), HT(4), HT(8), HT(16), HT(32), HT(64), HT(128), HT(256),
    KM(2), KM(4), KM(8), KM(16), KM(32), KM(64), KM(128), KM(256),
    GA(2), GA(4), GA(8), GA(16), GA(32), GA(64), GA(128), GA(256),
    CASE("MASKS", "masks"), CASE("BANK", "bank"), CASE("FILTER", "filter"), CASE("ALIAS", "alias"),
    CASE("BYTES", "bytes"),
};

#define HTS "HT2+HT4+HT8+HT16+HT32+HT64+HT128+HT256"
#define KMS "KM2+KM4+KM8+KM16+KM32+KM64+KM128+KM256"
#define GAS "GA2+GA4+GA8+GA16+GA32+GA64+GA128+GA256"
static const struct paper_named lists[] = {
    { "all", HTS "+" KMS "+" GAS }, { "ht", HTS }, { "km", KMS }, { "ga", GAS }, { "kmga", KMS "+" GAS },
    { "every", HTS "+" KMS "+" GAS "+MASKS+BANK+FILTER+ALIAS+BYTES" },
    { "versions", "serial+turns+lock" },
};

/* The papers' figures were taken on Multi2Sim. */
#define MACHINE "southern-islands+multi2sim"
#define LOCAL "localtm+multi2sim"
static const struct paper_config configs[] = {
    { "lt", "GPU-LocalTM", LOCAL, NULL, "tm", "every", SIZE_BOTH, true, 1 },
    { "perfect", "perfect GPU-LocalTM", LOCAL "+localtm-perfect", NULL, "tm", NULL, SIZE_BOTH, true, 1 },
    { "es", "with the Spanish paper's costs", LOCAL "+localtm-es", NULL, "tm", "every", SIZE_BOTH, true, 1 },
    { "serial", "one after another, with barriers", MACHINE, NULL, "serial", NULL, SIZE_BOTH, true, 1 },
    { "fgl", "fine-grained locks", MACHINE, NULL, "fgl", NULL, SIZE_BOTH, true, 1 },
    { "turns", "one after another, without barriers", MACHINE, NULL, "turns", NULL, SIZE_PAPER, true, 1 },
    { "lock", "one lock for all", MACHINE, NULL, "lock", NULL, SIZE_PAPER, true, 2 },
    { "rw", "filters for reads and for writes", LOCAL "+localtm-rw", NULL, "tm", NULL, SIZE_PAPER, true, 1 },
    { "step", "lanes that lost step on to tx_commit", LOCAL, "localtm.step_on=true", "tm", NULL, SIZE_PAPER, true, 1 },
    { "after64", "work-group serialised after 64 failures", LOCAL, "localtm.group_after=64", "tm", NULL, SIZE_PAPER,
      true, 1 },
    { "ltg", "GPU-LocalTM, GCN's pipelines", "localtm", NULL, "tm", NULL, SIZE_PAPER, true, 1 },
    { "perfectg", "perfect, GCN's pipelines", "localtm+localtm-perfect", NULL, "tm", NULL, SIZE_PAPER, true, 1 },
    { "serialg", "with barriers, GCN's pipelines", "southern-islands", NULL, "serial", NULL, SIZE_PAPER, true, 1 },
    { "ltf", "GPU-LocalTM, GCN, no instruction misses", "localtm+perfect-fetch", NULL, "tm", NULL, SIZE_PAPER, true,
      1 },
    { "serialf", "with barriers, GCN, no instruction misses", "southern-islands+perfect-fetch", NULL, "serial", NULL,
      SIZE_PAPER, true, 1 },
    { "lt32", "GPU-LocalTM on a GTX 480", "gtx480+tm-localtm", NULL, "tm", NULL, SIZE_PAPER, true, 1 },
    { "serial32", "with barriers on a GTX 480", "gtx480", NULL, "serial", NULL, SIZE_PAPER, true, 1 },
    { "scalars", "scalar registers of two work-groups", LOCAL, "localtm.scalar_registers=8", "tm", "HT256", SIZE_BOTH,
      true, 1 },
};

static const struct paper_named derived[] = {
    { "time", "cycles" },
    { "speedup", "time@serial / time" },
    { "transactions", "tm.commits" },
    { "conflicts", "tm.abort.conflict" },
    /* The quotient of the paper, where there are aborts; without, it says 100 %. */
    { "commit_ratio", "tm.commits / max(tm.aborts, tm.commits * (tm.aborts == 0))" },
    { "attempts_committed", "tm.commits / (tm.commits + tm.aborts)" },
    { "runs", "localtm.runs" },
    { "serial_runs", "localtm.serial_runs" },
    { "serialised", "localtm.serial_runs / localtm.runs" },
    { "false_share", "localtm.false_conflicts / localtm.accesses" },
    { "conflict_share", "localtm.conflicts / localtm.accesses" },
    /* Cycles of resident warps. */
    { "extra", "tm.warp.memory + tm.warp.begin_commit" },
    /* What transactions cost, waiting for work-groups that are serialised included. */
    { "managed", "extra + tm.warp.stalled" },
    { "overhead", "managed / warp_cycles" },
    { "native_overhead", "managed / (warp_cycles - managed)" },
    { "nontx", "(warp_cycles - tm.warp.tx - extra) / warp_cycles" },
    { "tx", "tm.warp.tx / warp_cycles" },
    { "stalled", "tm.warp.stalled / warp_cycles" },
    { "memory", "tm.warp.memory / warp_cycles" },
    { "ends", "tm.warp.begin_commit / warp_cycles" },
    { "tx_share", "(tm.warp.tx + extra) / warp_cycles" },
    { "tx_code", "(tm.instructions + tm.wasted_instructions) / thread_instructions" },
    { "by_perfect", "time / time@perfect" },
    { "by_localtm", "time / time@lt" },
    /* Cycles of the protocol by kind. */
    { "accessing", "localtm.cycles.bloom + localtm.cycles.shadow + localtm.cycles.restore + localtm.cycles.broadcast" },
    /* A scalar instruction: as configured, or an integer addition. */
    { "scalar", "($localtm.base_cycles + ($localtm.base_cycles == 0) * ($latency.int_add + "
                "$gpu.warp_size / $core.simd_width - 1))" },
    { "new_and_own", "localtm.cycles.shadow * $shared.banks / localtm.new_accesses" },
    { "costs", "accessing + localtm.cycles.begin + localtm.cycles.commit" },
    /* Without the scalar instructions that tx_begin and tx_commit are. */
    { "released", "localtm.cycles.commit - scalar * runs" },
    { "at_memory", "accessing / (accessing + released)" },
    { "letting_go", "released / (accessing + released)" },
};

#define BREAKDOWN \
    "Non-TX code = nontx; TX code = (tx - stalled); waiting for work-group serialisation = stalled; " \
    "memory overhead = memory; begin and commit overhead = ends"
#define KINDS \
    "filters = (localtm.cycles.bloom / costs); shadow memory = (localtm.cycles.shadow / costs); " \
    "restore = (localtm.cycles.restore / costs); broadcast = (localtm.cycles.broadcast / costs); " \
    "begin = (localtm.cycles.begin / costs); commit = (localtm.cycles.commit / costs)"

#define SPEEDUP(id, title, list, bars) \
    { id, title ": speed-up over serialised critical sections", "speed-up", list, bars, "speed-up = speedup", \
      CHART_BARS, false, true }
#define SHARES(id, title, list, bars) \
    { id, title ": execution breakdown", "share of resident wavefronts' cycles", list, bars, BREAKDOWN, CHART_STACK, \
      false, false }
#define SERIALISED(id, title, list, bars) \
    { id, title ": share of transactions that were serialised", "share of runs", list, bars, \
      "wavefront serialisation = serialised", CHART_BARS, false, false }

static const struct paper_figure figures[] = {
    SPEEDUP("es2a", "Spanish paper, Fig. 2 a, hash table", "ht", "es+fgl"),
    SHARES("es2b", "Spanish paper, Fig. 2 b, hash table", "ht", "es"),
    { "es2kinds", "Spanish paper, section IV: what the overhead is made of", "share of the protocol's cycles", "ht",
      "es", KINDS, CHART_STACK, false, false },
    SERIALISED("es2c", "Spanish paper, Fig. 2 c, hash table", "ht", "es"),
    SPEEDUP("fig3a", "Fig. 3 a, hash table", "ht", "lt+perfect"),
    SHARES("fig3b", "Fig. 3 b, hash table", "ht", "lt"),
    SERIALISED("fig3c", "Fig. 3 c, hash table", "ht", "lt+perfect"),
    SPEEDUP("fig4a", "Fig. 4 a, K-means", "km", "lt+perfect"),
    SHARES("fig4b", "Fig. 4 b, K-means", "km", "lt"),
    SERIALISED("fig4c", "Fig. 4 c, K-means", "km", "lt+perfect"),
    SPEEDUP("fig5a", "Fig. 5 a, genetic algorithm", "ga", "lt+perfect"),
    SHARES("fig5b", "Fig. 5 b, genetic algorithm", "ga", "lt"),
    SERIALISED("fig5c", "Fig. 5 c, genetic algorithm", "ga", "lt+perfect"),
    { "denominators", "Speed-up by what it is compared with", "", "all", NULL,
      "over barriers = (time@serial / time@lt); over turns = (time@turns / time@lt); "
      "over one lock = (time@lock / time@lt); over fine-grained locks = (time@fgl / time@lt); "
      "fine-grained locks over barriers = speedup@fgl", CHART_TABLE, false, false },
    { "counts", "Transactions, as in sections 5.2.1 to 5.2.3", "", "all", "lt+perfect",
      "runs = runs; serialised = serial_runs; by work-group = localtm.group_runs; conflicts = conflicts; "
      "of threads = transactions; aborts = tm.aborts", CHART_TABLE, false, false },
    { "ratios", "Commit ratio: commits by aborts (of all attempts)", "", "all", "lt+perfect+es",
      "commits by aborts = commit_ratio; of attempts = attempts_committed", CHART_TABLE, false, false },
    { "conflicts", "Conflicts and false ones, of accesses", "", "all", "lt+rw",
      "conflicts = conflict_share; false = false_share", CHART_TABLE, false, false },
    { "overheads", "Overhead: of native time, of all time, without waiting; time by perfect GPU-LocalTM's", "", "all",
      "lt+es", "of native = native_overhead; of all = overhead; without waiting = (extra / warp_cycles); "
      "by perfect = by_perfect", CHART_TABLE, false, false },
    { "costs", "Cycles of the protocol by kind", "core cycles", "all", "lt",
      "filters = localtm.cycles.bloom; shadow memory = localtm.cycles.shadow; restore = localtm.cycles.restore; "
      "broadcast = localtm.cycles.broadcast; begin = localtm.cycles.begin; commit = localtm.cycles.commit",
      CHART_TABLE, false, false },
    { "cycles", "Time", "core cycles", "all", "lt+perfect+es+fgl+serial+turns+lock", "cycles = time", CHART_TABLE,
      false, false },
    { "pipelines", "GCN's pipelines and instruction cache: speed-up over serialised critical sections", "", "all", NULL,
      "GPU-LocalTM = (time@serialg / time@ltg); perfect = (time@serialg / time@perfectg); "
      "without instruction misses = (time@serialf / time@ltf); serialised = serialised@ltg; "
      "commits by aborts = commit_ratio@ltg; overhead of native = native_overhead@ltg", CHART_TABLE, false, false },
    { "variants", "Beyond the papers: time by GPU-LocalTM's, work-group serialisation", "", "all", "rw+step+after64+es",
      "time = by_localtm; by work-group = localtm.group_runs", CHART_TABLE, false, false },
    { "warp32", "Warps of 32: a GTX 480", "", "all", NULL,
      "speed-up = (time@serial32 / time@lt32); runs = runs@lt32; serialised = serialised@lt32; "
      "commits by aborts = commit_ratio@lt32", CHART_TABLE, false, false },
};

/* Counts in the text that claims judge together. */
static const struct paper_point points[] = {
    { "HT2", "runs@lt", SIZE_BOTH, 3801 }, { "HT2", "serial_runs@lt", SIZE_BOTH, 189 },
    { "HT32", "runs@lt", SIZE_BOTH, 36 }, { "HT32", "serial_runs@lt", SIZE_BOTH, 9 },
    { "GA8", "serial_runs@lt", SIZE_BOTH, 134 }, { "GA8", "serial_runs@perfect", SIZE_BOTH, 177 },
    { "GA8", "conflicts@lt", SIZE_BOTH, 2578 }, { "GA8", "conflicts@perfect", SIZE_BOTH, 3126 },
};

/* What is shown as the reason for a result. */
#define WHERE \
    "non-TX = nontx@lt; TX = tx@lt; of it waiting = stalled@lt; memory = memory@lt; " \
    "begin and commit = ends@lt; runs = runs@lt; " \
    "serialised = serialised@lt; aborts = tm.aborts@lt; transactions = transactions@lt"
#define WHERE_ES \
    "non-TX = nontx@es; TX = tx@es; of it waiting = stalled@es; memory = memory@es; begin and commit = ends@es; " \
    "runs = runs@es; " \
    "aborts = tm.aborts@es; transactions = transactions@es"
#define SHARES_OF \
    "non-TX = nontx@lt; TX = tx@lt; of it waiting = stalled@lt; begin and commit = ends@lt; " \
    "by work-group = localtm.group_runs@lt"
#define ABORTS \
    "transactions = transactions@lt; aborts = tm.aborts@lt; of attempts = attempts_committed@lt; " \
    "true conflicts = (localtm.conflicts - localtm.false_conflicts)@lt; false = localtm.false_conflicts@lt; " \
    "of aborts, by work-group serialisation = tm.abort.serialised@lt; runs = runs@lt"
#define RUNS \
    "runs = runs@lt; serialised = serial_runs@lt; transactions = transactions@lt; aborts = tm.aborts@lt; " \
    "perfect runs = runs@perfect; serialised = serial_runs@perfect"

#define PAPER SIZE_PAPER
#define BOTH SIZE_BOTH
#define CLAIM(id, wording, benches, expr, kind, published, tolerance, sizes, basis, because) \
    { id, wording, benches, expr, CLAIM_##kind, published, tolerance, sizes, BASIS_##basis, because },
static const struct paper_claim claims[] = {
#include "tm/localtm/claims.def"
};

const struct paper paper_localtm = {
    "localtm", "Transactions in the local memory of a GPU (Villegas, Navarro, Asenjo, Plata)",
    "E: the Spanish paper, with its costs. L: GPU-LocalTM. A run is a wavefront's way from tx_begin to tx_commit, "
    "which the papers count as a transaction; commits, aborts and conflicts are counted by work-item. The last column "
    "has figures of the statistics that show why; shares of resident wavefronts' cycles.",
    "E-001+E-003+E-004+L-001+L-002+L-024+L-033+L-035+L-036",
    NULL,
    benches, configs, derived, lists, figures, claims, points,
    COUNT(benches), COUNT(configs), COUNT(derived), COUNT(lists), COUNT(figures), COUNT(claims), COUNT(points)
};
