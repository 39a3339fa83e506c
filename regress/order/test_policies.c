/*
 * The memory-ordering policies of the product in the machine: which weak outcomes each shows, and which it never shows;
 * results of programs, with every coherence protocol; the policies' queues and tables when they are small; statistics
 * that do not depend on the host. The outcomes that a model allows are those of Sewell et al. (x86-TSO, Communications
 * of the ACM 53, 2010), and any for relaxed ordering.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "regress/coherence/toys.h"
#include "regress/witness/programs.h"

/* Each writer has x and y in its L1 first, if a protocol keeps them there. FIRST and SECOND then wait. */
#define ACTORS(name, shared) \
    ENTRY(name) shared AS_FIRST AS_SECOND
#define WARM \
    "ld.relaxed.gpu.global.u32 %v5, [%x]; ld.relaxed.gpu.global.u32 %v6, [%y]; add.u32 %v5, %v5, %v6;\n"
#define FIRST "FIRST:" WARM DELAY("A", "p4") CROWD
#define SECOND "ret;\nSECOND:" WARM DELAY("B", "p5")
#define LOAD(value, at) "ld.relaxed.gpu.global.u32 " value ", [" at "];\n"
#define STORE(at) "st.relaxed.gpu.global.u32 [" at "], 1;\n"

#define MESSAGES(name, fence) \
    ACTORS(name, "") FIRST STORE("%x") fence STORE("%y") \
    SECOND LOAD("%v0", "%y") fence LOAD("%v1", "%x") SHOW("0", "%v0") SHOW("4", "%v1") END
#define BUFFERS(name, fence) \
    ACTORS(name, "") FIRST STORE("%x") fence LOAD("%v0", "%y") SHOW("0", "%v0") \
    SECOND STORE("%y") fence LOAD("%v0", "%x") SHOW("4", "%v0") END
#define LOADS(name) \
    ACTORS(name, "") FIRST LOAD("%v0", "%x") STORE("%y") SHOW("0", "%v0") \
    SECOND LOAD("%v0", "%y") STORE("%x") SHOW("4", "%v0") END
/* Message passing with an atomic on y, or with accesses to shared memory between those to x and y. */
#define ATOMICS(name) \
    ACTORS(name, "") FIRST STORE("%x") "red.relaxed.gpu.global.add.u32 [%y], 1;\n" \
    SECOND "atom.relaxed.gpu.global.add.u32 %v0, [%y], 0;\n" LOAD("%v1", "%x") SHOW("0", "%v0") SHOW("4", "%v1") END
#define SHARED(name) \
    ACTORS(name, ".shared .align 4 .b8 cell[128];\n.reg .u64 %c;\nmov.u64 %c, cell;\n") \
    FIRST STORE("%x") "st.shared.u32 [%c], 1;\nld.shared.u32 %v0, [%c];\nst.relaxed.gpu.global.u32 [%y], %v0;\n" \
    SECOND LOAD("%v0", "%y") "st.shared.u32 [%c], %v0;\n" LOAD("%v1", "%x") SHOW("0", "%v0") SHOW("4", "%v1") END

/* Blocks of two warps. The first warp of p0 writes x, then a word of shared memory; the second one awaits that and
 * writes y; the first warp of p1 awaits y and reads x (Figure 1b of the paper). */
#define RELAYED(name) \
    ENTRY(name) ".shared .align 4 .b8 cell[128];\n.reg .u64 %c;\nmov.u64 %c, cell;\n" \
    "setp.eq.u32 %p, %i, 0; @%p st.shared.u32 [%c], 0; bar.sync 0; setp.ge.u32 %p, %i, 32; @%p bra UPPER;\n" \
    AS_FIRST AS_SECOND "FIRST:" WARM DELAY("A", "p4") CROWD STORE("%x") "st.shared.u32 [%c], 1; ret;\n" \
    "UPPER: setp.ne.u32 %p, %b, %w; @%p bra OUT; mov.u32 %d, 400;\n" \
    "U: ld.volatile.shared.u32 %v0, [%c]; setp.ne.u32 %p, %v0, 0; @%p bra V;\n" \
    "sub.u32 %d, %d, 1; setp.ne.u32 %p, %d, 0; @%p bra U; bra OUT;\nV: " STORE("%y") "OUT: ret;\n" \
    "SECOND:" WARM DELAY("B", "p5") AWAIT_ONE("F", "[%y]") LOAD("%v1", "%x") SHOW("0", "%v0") SHOW("4", "%v1") END

/* The first writes x, then z; another block of its SM awaits z and writes y; the second awaits y and reads x. Both ends
 * write beside x and y first, so that these are shared by SMs; z is not. */
#define BESIDE_BOTH "st.relaxed.gpu.global.u32 [%x+8], 0; st.relaxed.gpu.global.u32 [%y+8], 0;\n"
#define AWAIT_ONE(label, at) \
    "mov.u32 %d, 400;\n" label ": ld.relaxed.gpu.global.u32 %v0, " at "; setp.ne.u32 %p, %v0, 0;\n" \
    "@%p bra " label "1;\n" \
    "sub.u32 %d, %d, 1; setp.ne.u32 %p, %d, 0; @%p bra " label ";\n" label "1:"
#define INDIRECT(name) \
    ACTORS(name, "add.u32 %v4, %w, 4; setp.eq.u32 %p, %b, %v4; @%p bra MIDDLE;\n") \
    "FIRST:" BESIDE_BOTH "st.relaxed.gpu.global.u32 [%m+60424], 0;\n" DELAY("A", "p4") DELAY("D", "p5") CROWD \
    STORE("%x") STORE("%m+60416") \
    "ret;\nMIDDLE:" AWAIT_ONE("E", "[%m+60416]") "setp.eq.u32 %p, %v0, 0; @%p bra OUT;\n" STORE("%y") "OUT: ret;\n" \
    "SECOND:" BESIDE_BOTH AWAIT_ONE("F", "[%y]") LOAD("%v1", "%x") SHOW("0", "%v0") SHOW("4", "%v1") END

/* Eight times, every lane stores to a word far away and to its own, then loads its own, or its neighbour's. It must
 * find its own store; that of its neighbour, too, since they are lanes of one instruction. */
#define FORWARD(name) \
    ENTRY(name) "mad.lo.u32 %v0, %b, 32, %i; mul.wide.u32 %a, %v0, 4; add.u64 %a, %a, %m; mov.u32 %n, 8;\n" \
    "xor.b32 %v4, %v0, 1; mul.wide.u32 %y, %v4, 4; add.u64 %y, %y, %m; mov.u32 %v5, 0;\n" \
    "L: mad.lo.u32 %v1, %n, 1024, %v0; st.relaxed.gpu.global.u32 [%a+16384], %v1;\n" \
    "st.relaxed.gpu.global.u32 [%a], %v1; ld.relaxed.gpu.global.u32 %v2, [%a];\n" \
    "setp.ne.u32 %p, %v2, %v1; @%p add.u32 %v5, %v5, 1; st.relaxed.gpu.global.u32 [%a+16384], %v1;\n" \
    "st.relaxed.gpu.global.u32 [%a], %v1; ld.relaxed.gpu.global.u32 %v3, [%y];\n" \
    "mad.lo.u32 %v1, %n, 1024, %v4; setp.ne.u32 %p, %v3, %v1; @%p add.u32 %v5, %v5, 1;\n" \
    "sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra L; red.global.add.u32 [%s], %v5;\n" END

/* p1 times, each half of a warp loads, stores or adds at a random line of p2 (a power of two), or at one of eight of
 * its block's own, at a word of each lane. */
#define RANDOM(name) \
    ENTRY(name) "shr.u32 %v0, %i, 4; mad.lo.u32 %v0, %b, 2, %v0; mad.lo.u32 %v0, %w, 977, %v0;\n" \
    "mul.lo.u32 %v0, %v0, 0x9e3779b1; ld.param.u32 %v1, [p2]; sub.u32 %v1, %v1, 1;\n" \
    "L: mad.lo.u32 %v0, %v0, 1664525, 1013904223; shr.u32 %v2, %v0, 20; and.b32 %v2, %v2, %v1;\n" \
    "and.b32 %v3, %v0, 0x10000; setp.eq.u32 %p, %v3, 0; and.b32 %v4, %v2, 7; mad.lo.u32 %v4, %b, 8, %v4;\n" \
    "and.b32 %v4, %v4, %v1; selp.u32 %v2, %v4, %v2, %p; mad.lo.u32 %v2, %v2, 32, %i; mul.wide.u32 %a, %v2, 4;\n" \
    "add.u64 %a, %a, %m; shr.u32 %v3, %v0, 13; and.b32 %v3, %v3, 7; setp.gt.u32 %p, %v3, 3; @%p bra R;\n" \
    "setp.eq.u32 %p, %v3, 3; @%p bra A; st.relaxed.gpu.global.u32 [%a], %v0; bra N;\n" \
    "R: ld.relaxed.gpu.global.u32 %v4, [%a]; bra N;\n" \
    "A: atom.relaxed.gpu.global.add.u32 %v4, [%a], 1;\n" \
    "N: sub.u32 %r, %r, 1; setp.ne.u32 %p, %r, 0; @%p bra L;\n" END

/* Both read x. The second then reads y, which no SM has, and stores to x while that load is outstanding. */
#define UPGRADE(name) \
    ACTORS(name, "ld.relaxed.gpu.global.u32 %v0, [%x]; add.u32 %v1, %v0, 1;\n") "FIRST: ret;\n" \
    "SECOND:" DELAY("B", "p5") "ld.relaxed.gpu.global.u32 %v0, [%y]; " STORE("%x") END

/* Two blocks execute 40 independent instructions, the first (p0) while its second atomic is outstanding; each shows the
 * clock at their end. The registers are read afterwards: else they would share one. */
#define FIVE(what, k) what(k "0") what(k "1") what(k "2") what(k "3") what(k "4")
#define FORTY(what) \
    FIVE(what, "1") FIVE(what, "2") FIVE(what, "3") FIVE(what, "4") FIVE(what, "5") FIVE(what, "6") FIVE(what, "7") \
    FIVE(what, "8")
#define SET(k) "mov.u32 %k" k ", %i;\n"
#define ADD(k) "add.u32 %v1, %v1, %k" k ";\n"
#define PRIORITY(name) \
    ENTRY(name) ".reg .u32 %k<90>; mul.wide.u32 %o, %b, 4; add.u64 %s, %s, %o;\n" \
    "mul.wide.u32 %o, %b, 256; add.u64 %x, %x, %o;\n" \
    "atom.global.add.u32 %v0, [%x], 0; setp.ne.u32 %p, %v0, 77; setp.eq.and.u32 %p, %b, %w, %p;\n" \
    "@%p red.global.add.u32 [%x+8192], 1;\n" FORTY(SET) "mov.u32 %v1, %clock;\n" SHOW("0", "%v1") FORTY(ADD) \
    SHOW("8", "%v1") END

static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    MESSAGES("message", "") MESSAGES("message_cta", "fence.acq_rel.cta;\n")
    MESSAGES("message_fence", "fence.acq_rel.gpu;\n") BUFFERS("buffer", "") BUFFERS("buffer_fence", "fence.sc.gpu;\n")
    LOADS("loads") ATOMICS("atomics") SHARED("shared") RELAYED("relayed")
    INDIRECT("indirect") FORWARD("forward") RANDOM("random") PRIORITY("priority") UPGRADE("upgrade")
    MIX TURNS;

/* ---- outcomes ---- */

/* The places of x and y, in words: of one sector, and of two. */
enum { NEAR = SLICE_WORDS, FAR = 9 * 1024 + SLICE_WORDS };

static const struct coherence *const protocols[] = { NULL, &toy_msi, &toy_through };
enum { PROTOCOLS = 3 };

/* Runs with this outcome, over protocols, delays, places of the words and stores in the way. */
static unsigned outcomes(const char *policy, const char *kernel, uint32_t first, uint32_t second)
{
    unsigned n = 0;
    char set[64];
    snprintf(set, sizeof set, "order.policy=%s", policy);
    for (unsigned k = 0; k < PROTOCOLS; k++) {
        struct lab l;
        lab_open(&l, text, (const char *const[]){ set, "xbar.vns=4", "order.check=full", NULL },
                 &(struct machine_plugins){ .coherence = protocols[k] });
        for (uint32_t d = 0; d < 60; d++) {
            uint32_t y = X + (d & 1 ? NEAR : FAR - 4096), stride = SLICE_WORDS * SLICES;
            lab_run(&l, kernel, 8, (uint32_t[LAB_PARAMS]){ 0, 1, X, y, d % 3 * 5, d / 2 * 2 % 20, stride, d / 20 });
            n += l.seen[0] == first && l.seen[1] == second;
        }
        lab_close(&l);
    }
    return n;
}

struct shows { const char *policy; bool message, buffer, loads, cta; };

/* What each policy shows; what it does not is forbidden. */
static const struct shows shows[] = {
    { "rmo-ptx", true, true, true, false },
    { "rmo-no-drain", true, true, true, false },
    { "rmo-paper", true, true, true, true },
    { "tso", false, true, false, false },
    { "tso-store-buffer", false, true, false, false },
    { "tso-store-buffer-unified", false, true, false, false },
    { "sc", false, false, false, false },
    { "sc-prefetch", false, false, false, false },
    { "sc-types", false, false, false, false },
};
enum { POLICIES = sizeof shows / sizeof *shows };

static void expect(const struct shows *s, const char *kernel, uint32_t first, uint32_t second, bool shown)
{
    unsigned n = outcomes(s->policy, kernel, first, second);
    if ((n > 0) != shown)
        fail_msg("%s: %s has its weak outcome in %u runs", s->policy, kernel, n);
}

static void weak_outcomes_are_those_of_the_model(void **state)
{
    for (unsigned i = 0; i < POLICIES; i++) {
        expect(&shows[i], "message", 1, 0, shows[i].message);
        expect(&shows[i], "buffer", 0, 0, shows[i].buffer);
        expect(&shows[i], "loads", 1, 1, shows[i].loads);
        expect(&shows[i], "message_cta", 1, 0, shows[i].cta);
    }
}

static void fences_forbid_them(void **state)
{
    for (unsigned i = 0; i < POLICIES; i++) {
        expect(&shows[i], "message_fence", 1, 0, false);
        expect(&shows[i], "buffer_fence", 0, 0, false);
        expect(&shows[i], "buffer_fence", 1, 1, true);
    }
}

static void atomics_and_shared_memory_are_ordered(void **state)
{
    for (unsigned i = 3; i < POLICIES; i++) {
        expect(&shows[i], "atomics", 1, 0, false);
        expect(&shows[i], "shared", 1, 0, false);
        expect(&shows[i], "shared", 1, 1, true);
        expect(&shows[i], "indirect", 1, 0, false);
        expect(&shows[i], "indirect", 1, 1, true);
    }
}

/* Runs of "relayed" with this outcome, in which some paths of the crossbar are slow. */
static unsigned relayed(const char *policy, const struct coherence *c, uint32_t second)
{
    unsigned n = 0;
    for (int seed = 1; seed <= 8; seed++) {
        struct lab l;
        char set[64], random[64];
        snprintf(set, sizeof set, "order.policy=%s", policy);
        snprintf(random, sizeof random, "sim.seed=%d", seed);
        lab_open(&l, text, (const char *const[]){ set, random, "xbar.vns=4", "xbar.disturb=1000", "order.check=full",
                                                  NULL }, &(struct machine_plugins){ .coherence = c });
        l.threads = 64;
        for (uint32_t k = 0; k < 16; k++) {
            uint32_t y = X + SLICE_WORDS * (1 + k % 3);
            lab_run(&l, "relayed", 8, (uint32_t[LAB_PARAMS]){ k / 3 % 4, (k / 3 + 1) % 4, X, y, 0, 0, 64, 0 });
            n += l.seen[0] == 1 && l.seen[1] == second;
        }
        lab_close(&l);
    }
    return n;
}

/* Under relaxed ordering x and the word of shared memory are unordered. */
static void shared_memory_orders_the_warps_of_a_block(void **state)
{
    for (unsigned i = 0; i < POLICIES; i++)
        for (unsigned k = 0; k < PROTOCOLS; k++) {
            unsigned weak = relayed(shows[i].policy, protocols[k], 0);
            if ((weak > 0) != shows[i].message)
                fail_msg("%s: relayed has its weak outcome in %u runs", shows[i].policy, weak);
            assert_true(relayed(shows[i].policy, protocols[k], 1) > 0);
        }
}

/* ---- results ---- */

static void run_programs(const char *const *settings, const struct coherence *c)
{
    struct lab l;
    uint32_t sum = 0;
    lab_open(&l, text, settings, &(struct machine_plugins){ .coherence = c });
    lab_run(&l, "mix", MIX_BLOCKS, (uint32_t[LAB_PARAMS]){ 0 });
    for (unsigned i = 0; i < 64; i++)
        sum += l.words[i];
    assert_int_equal(sum, MIX_SUM);
    lab_run(&l, "turns", 4, (uint32_t[LAB_PARAMS]){ 2, 1, X, X + 1, 10 });
    assert_int_equal(l.words[X], 20);
    lab_run(&l, "forward", 16, (uint32_t[LAB_PARAMS]){ 0 });
    assert_int_equal(l.seen[0], 0);
    lab_close(&l);
}

static void results_are_right_with_every_protocol(void **state)
{
    for (unsigned i = 0; i < POLICIES; i++)
        for (unsigned k = 0; k < PROTOCOLS; k++) {
            char set[64];
            snprintf(set, sizeof set, "order.policy=%s", shows[i].policy);
            run_programs((const char *const[]){ set, "xbar.vns=4", "sim.shadow=true", "order.check=full", NULL },
                         protocols[k]);
        }
}

static void small_structures_only_cost_time(void **state)
{
    static const char *const settings[][14] = {
        { "order.policy=sc-types", "xbar.vns=4", "order.check=full", "types.cache=1", "types.cache_ways=1",
          "types.mac=1", "types.mac_ways=1", "types.sector=128", "types.wait_queue=1", "types.safe_queue=1",
          "types.unsafe_queue=1", "types.stores=1", NULL },
        { "order.policy=sc-types", "xbar.vns=4", "order.check=full", "types.sync_table=1", "types.mac=2",
          "types.mac_ways=2", "types.sector=1024", "l2.reply_queue=1", "l1.mshrs=2", "l1.merges=1",
          "types.markers=false", NULL },
        { "order.policy=tso-store-buffer", "xbar.vns=4", "tso.buffer_entries=1", "l1.miss_queue=1", NULL },
        { "order.policy=tso-store-buffer-unified", "xbar.vns=4", "tso.unified_entries=1", "l1.miss_queue=1", NULL },
        { "order.policy=sc-prefetch", "xbar.vns=4", "sc_prefetch.queue=1", "l1.mshrs=2",
          "sc_prefetch.spare_mshrs=1", NULL },
    };
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
        for (unsigned k = 0; k < PROTOCOLS; k++)
            run_programs(settings[i], protocols[k]);
}

/* Four runs of random accesses, which the ordering oracle checks. */
static void run_random(const char *policy, const char *disturb, const char *const *settings, const struct coherence *c)
{
    const char *with[16] = { policy, disturb, "xbar.vns=4", "order.check=full" };
    struct lab l;
    for (unsigned i = 0; settings[i]; i++)
        with[4 + i] = settings[i];
    lab_open(&l, text, with, &(struct machine_plugins){ .coherence = c });
    for (uint32_t seed = 1; seed <= 4; seed++)
        lab_run(&l, "random", 32, (uint32_t[LAB_PARAMS]){ seed, 60, seed % 2 ? 64 : 128 });
    lab_close(&l);
}

/* Small structures, slow classifiers, and slow paths of the crossbar delay some accesses by thousands of cycles, while
 * others of the same warp perform. Some faults show only with slow paths or classifiers, others only without them. */
static void random_accesses_have_an_interleaving(void **state)
{
    static const char *const settings[][12] = {
        { "types.sector=512", "types.mac=16", "types.mac_ways=1", "types.safe_queue=2", "types.unsafe_queue=1",
          "l1.mshrs=2", "dram.latency=300", "types.mac_latency=20", NULL },
        { "types.sector=2048", "types.mac=1", "types.mac_ways=1", "types.unsafe_queue=2", "l1.mshrs=4",
          "types.mac_latency=20", NULL },
        { "types.sector=1024", "types.mac=2", "types.mac_ways=1", "l1.mshrs=8", "l1.merges=2", NULL },
    };
    for (unsigned i = 0; i < POLICIES; i++)
        for (unsigned k = 0; k < 4 * sizeof settings / sizeof *settings; k++) {
            char set[64];
            snprintf(set, sizeof set, "order.policy=%s", shows[i].policy);
            run_random(set, k & 2 ? "xbar.disturb=1000" : "xbar.disturb=0", settings[k / 4], protocols[1 + k % 2]);
        }
}

/* ---- what happens inside ---- */

/* Of all launches, which come first. */
static uint64_t counter(const char *statistics, const char *group, const char *name)
{
    const char *at = strstr(statistics, group);
    at = at ? strstr(at, name) : NULL;
    assert_non_null(at);
    return strtoull(at + strlen(name) + 2, NULL, 10);
}

static char *run_all(const char *policy, const char *host, const struct coherence *c)
{
    struct lab l;
    char set[64];
    snprintf(set, sizeof set, "order.policy=%s", policy);
    lab_open(&l, text, (const char *const[]){ set, "xbar.vns=4", "types.mac=4", "types.mac_ways=2", "types.sector=128",
                                              host, NULL }, &(struct machine_plugins){ .coherence = c });
    lab_run(&l, "mix", MIX_BLOCKS, (uint32_t[LAB_PARAMS]){ 0 });
    lab_run(&l, "turns", 4, (uint32_t[LAB_PARAMS]){ 0, 3, X, X + 64, 5 });
    lab_run(&l, "forward", 16, (uint32_t[LAB_PARAMS]){ 0 });
    lab_run(&l, "shared", 4, (uint32_t[LAB_PARAMS]){ 0, 1, X, X + FAR - 4096, 0, 20, SLICE_WORDS * SLICES, 1 });
    lab_run(&l, "indirect", 8, (uint32_t[LAB_PARAMS]){ 0, 1, X, X + FAR - 4096, 0, 20, SLICE_WORDS * SLICES, 1 });
    char *all = lab_statistics(&l);
    lab_close(&l);
    return all;
}

static void the_mechanisms_are_used(void **state)
{
    static const struct { const char *policy, *group, *counters[8]; } uses[] = {
        { "tso-store-buffer", "\"tso\"", { "\"buffered\"", "\"forwarded\"", "\"overlaps\"" } },
        { "tso-store-buffer-unified", "\"tso\"", { "\"buffered\"", "\"overlaps\"" } },
        { "sc-prefetch", "\"sc_prefetch\"", { "\"dropped\"" } },
        { "sc-types", "\"types\"", { "\"safe\"", "\"unsafe\"", "\"direct\"", "\"transitions\"", "\"invalidations\"",
                                    "\"recalls\"", "\"sync_entries\"" } },
    };
    for (unsigned i = 0; i < sizeof uses / sizeof *uses; i++) {
        char *all = run_all(uses[i].policy, "sim.no_skip=false", NULL);
        for (unsigned k = 0; k < 8 && uses[i].counters[k]; k++)
            if (!counter(all, uses[i].group, uses[i].counters[k]))
                fail_msg("%s: %s is 0", uses[i].policy, uses[i].counters[k]);
        free(all);
    }
    char *all = run_all("sc-types", "types.sector=16384", NULL);
    assert_true(counter(all, "\"types\"", "\"conflicts\"") > 0);
    free(all);
    all = run_all("sc-prefetch", "sim.no_skip=false", &toy_msi);
    assert_true(counter(all, "\"sc_prefetch\"", "\"issued\"") > 0);
    assert_true(counter(all, "\"sc_prefetch\"", "\"used\"") + counter(all, "\"sc_prefetch\"", "\"late\"") > 0);
    free(all);
}

/* Statistics of a kernel under SC with prefetches and MESI. */
static char *run_prefetching(const char *kernel, uint32_t blocks, const uint32_t *params, const char *queue)
{
    struct lab l;
    lab_open(&l, text, (const char *const[]){ "order.policy=sc-prefetch", "coherence.protocol=mesi", "xbar.vns=5",
                                              "l1.ports=8", queue, NULL }, NULL);
    lab_run(&l, kernel, blocks, params);
    char *all = lab_statistics(&l);
    lab_close(&l);
    return all;
}

/* Accesses of "random" have one or two lines: with two entries none arrives at a full queue, with one entry those of
 * two lines issue only when nothing is outstanding. */
static void warps_with_a_full_queue_stall_at_issue(void **state)
{
    static const char *const queues[] = { "sc_prefetch.queue=2", "sc_prefetch.queue=1" };
    for (unsigned i = 0; i < sizeof queues / sizeof *queues; i++) {
        char *all = run_prefetching("random", 16, (uint32_t[LAB_PARAMS]){ 0, 40, 64 }, queues[i]);
        assert_int_equal(counter(all, "\"order\"", "\"blocked\""), 0);
        assert_true(counter(all, "\"stall\"", "\"order\"") > 0);
        free(all);
    }
}

static void a_waiting_store_requests_a_shared_line(void **state)
{
    char *all = run_prefetching("upgrade", 8, (uint32_t[LAB_PARAMS]){ 0, 1, X, X + FAR - 4096, 0, 2000 },
                                "sc_prefetch.queue=4");
    assert_true(counter(all, "\"mesi\"", "\"upgrades\"") > 0);
    assert_int_equal(counter(all, "\"sc_prefetch\"", "\"issued\""), 1);
    assert_int_equal(counter(all, "\"sc_prefetch\"", "\"dropped\""), 0);
    free(all);
}

/* Does the older block, which has an unsafe access pending, execute its instructions first? */
static bool older_first(const char *policy, const char *scheduler, const struct coherence *c, uint64_t *deferred)
{
    struct lab l;
    char order[64], core[64];
    snprintf(order, sizeof order, "order.policy=%s", policy);
    snprintf(core, sizeof core, "core.policy=%s", scheduler);
    lab_open(&l, text, (const char *const[]){ order, core, "xbar.vns=4", "gpu.sms=1", "core.schedulers=1",
                                              "core.simd_width=32", "core.perfect_fetch=true", NULL },
             &(struct machine_plugins){ .coherence = c });
    lab_run(&l, "priority", 2, (uint32_t[LAB_PARAMS]){ 0, 1, X, X });
    char *all = lab_statistics(&l);
    *deferred = counter(all, "\"issue\"", "\"unsafe_last\"");
    bool first = l.seen[0] < l.seen[1];
    free(all);
    lab_close(&l);
    return first;
}

static void warps_without_unsafe_accesses_have_priority(void **state)
{
    uint64_t deferred;
    for (unsigned k = 0; k < PROTOCOLS; k++) {
        assert_true(older_first("sc-types", "gto", protocols[k], &deferred));
        assert_int_equal(deferred, 0);
        assert_false(older_first("sc-types", "gto_unsafe_last", protocols[k], &deferred));
        assert_true(deferred >= 30);
        older_first("tso", "gto_unsafe_last", protocols[k], &deferred);
        assert_int_equal(deferred, 0);
    }
}

static char *run_policy(const char *host, const void *policy)
{
    return run_all(policy, host, NULL);
}

static void statistics_do_not_depend_on_the_host(void **state)
{
    for (unsigned p = 2; p < POLICIES; p++)
        lab_check_host(run_policy, shows[p].policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weak_outcomes_are_those_of_the_model),
        cmocka_unit_test(fences_forbid_them),
        cmocka_unit_test(atomics_and_shared_memory_are_ordered),
        cmocka_unit_test(shared_memory_orders_the_warps_of_a_block),
        cmocka_unit_test(results_are_right_with_every_protocol),
        cmocka_unit_test(small_structures_only_cost_time),
        cmocka_unit_test(random_accesses_have_an_interleaving),
        cmocka_unit_test(the_mechanisms_are_used),
        cmocka_unit_test(warps_with_a_full_queue_stall_at_issue),
        cmocka_unit_test(a_waiting_store_requests_a_shared_line),
        cmocka_unit_test(warps_without_unsafe_accesses_have_priority),
        cmocka_unit_test(statistics_do_not_depend_on_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
