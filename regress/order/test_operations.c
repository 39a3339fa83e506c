/*
 * Every operation that orders accesses, or does not: a writer stores x, then y; a reader awaits y and reads x, while
 * some paths of the crossbar are slow. For each spelling of the accesses to y, and of what stands between them and
 * those to x, the old value of x must be seen under relaxed ordering or must never be seen (PTX ISA, memory consistency
 * model: scopes, strong operations, release and acquire patterns). Accesses to local, parameter, constant and texture
 * memory wait for no other under sequential consistency, and no other waits for them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "frontend/lib/simtx_texture.h"
#include "regress/coherence/toys.h"
#include "regress/witness/programs.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n.const .align 4 .b8 table[128];\n"

/* ---- messages ---- */

enum verdict {
    SHOWN,                           /* under relaxed ordering, with some protocol */
    FORBIDDEN,                           /* under any policy */
    BY_BLOCK                            /* of CTA scope: shown by rmo-paper, never by the others */
};

#define STORE_AS(how) "st" how ".u32 [%y], 1;\n"
#define LOAD_AS(how) "ld" how ".u32 %v0, [%y];\n"
#define ACCESSES(how) STORE_AS(how ".global"), LOAD_AS(how ".global")
#define RELAXED ACCESSES(".relaxed.gpu")
#define PAIR(scope) STORE_AS(".release." scope ".global"), LOAD_AS(".acquire." scope ".global")
#define RED(sem) "red" sem ".gpu.global.or.b32 [%y], 1;\n"
#define ATOMICS(release, acquire) \
    "atom" release ".global.exch.b32 %v1, [%y], 1;\n", "atom" acquire ".global.add.u32 %v0, [%y], 0;\n"

/* Number; the accesses to y; what stands between the accesses of a thread; verdict. */
#define SPELLINGS(X) \
    X(0, RELAXED, "", SHOWN) \
    X(1, ACCESSES(".relaxed.cta"), "", SHOWN) \
    X(2, ACCESSES(".relaxed.sys"), "", SHOWN) \
    X(3, ACCESSES(".volatile"), "", SHOWN) \
    X(4, ACCESSES(""), "", SHOWN) \
    X(5, STORE_AS(".global.wb"), LOAD_AS(".global.ca"), "", SHOWN) \
    X(6, STORE_AS(".global.cg"), LOAD_AS(".global.cg"), "", SHOWN) \
    X(7, STORE_AS(".global.wt"), LOAD_AS(".global.cv"), "", SHOWN) \
    X(8, ATOMICS(".relaxed.gpu", ".relaxed.gpu"), "", SHOWN) \
    X(9, RED(".relaxed"), LOAD_AS(".relaxed.gpu.global"), "", SHOWN) \
    X(10, PAIR("cta"), "", BY_BLOCK) \
    X(11, PAIR("gpu"), "", FORBIDDEN) \
    X(12, PAIR("sys"), "", FORBIDDEN) \
    X(13, ATOMICS(".release.gpu", ".acquire.gpu"), "", FORBIDDEN) \
    X(14, ATOMICS(".acq_rel.sys", ".acq_rel.sys"), "", FORBIDDEN) \
    X(15, RED(".release"), LOAD_AS(".acquire.gpu.global"), "", FORBIDDEN) \
    X(16, RELAXED, "membar.cta;\n", BY_BLOCK) \
    X(17, RELAXED, "membar.gl;\n", FORBIDDEN) \
    X(18, RELAXED, "membar.sys;\n", FORBIDDEN) \
    X(19, RELAXED, "fence.acq_rel.cta;\n", BY_BLOCK) \
    X(20, RELAXED, "fence.acq_rel.gpu;\n", FORBIDDEN) \
    X(21, RELAXED, "fence.acq_rel.sys;\n", FORBIDDEN) \
    X(22, RELAXED, "fence.sc.cta;\n", BY_BLOCK) \
    X(23, RELAXED, "fence.sc.gpu;\n", FORBIDDEN) \
    X(24, RELAXED, "fence.sc.sys;\n", FORBIDDEN)

#define WARM "ld.relaxed.gpu.global.u32 %v5, [%x]; ld.relaxed.gpu.global.u32 %v6, [%y]; add.u32 %v5, %v5, %v6;\n"
#define KERNEL(...) KERNEL_OF(__VA_ARGS__)
#define KERNEL_OF(number, store, load, between, verdict) \
    ENTRY("m" #number) AS_FIRST AS_SECOND \
    "FIRST:" WARM "st.relaxed.gpu.global.u32 [%x], 1;\n" between store "ret;\n" \
    "SECOND:" WARM "mov.u32 %d, 400;\nL: " load "setp.ne.u32 %p, %v0, 0; @%p bra M;\n" \
    "sub.u32 %d, %d, 1; setp.ne.u32 %p, %d, 0; @%p bra L;\nM: " between "ld.relaxed.gpu.global.u32 %v1, [%x];\n" \
    SHOW("0", "%v0") SHOW("4", "%v1") END
#define ROW(...) ROW_OF(__VA_ARGS__)
#define ROW_OF(number, store, load, between, verdict) { "m" #number, store load between, verdict },

static const struct { const char *kernel, *text; enum verdict verdict; } spellings[] = { SPELLINGS(ROW) };
enum { KERNELS = sizeof spellings / sizeof *spellings };

static const struct coherence *const protocols[] = { NULL, &toy_msi, &toy_through };
enum { PROTOCOLS = 3, SEEDS = 3, PLACES = 12 };

/* Runs of the kernels in which the reader sees y, but not x, are added by kernel. */
static void count_old(const char *policy, const struct coherence *c, const char *text, unsigned *old)
{
    char set[64], random[64];
    snprintf(set, sizeof set, "order.policy=%s", policy);
    for (int seed = 1; seed <= SEEDS; seed++) {
        struct lab l;
        snprintf(random, sizeof random, "sim.seed=%d", seed);
        lab_open(&l, text, (const char *const[]){ set, random, "xbar.vns=4", "xbar.disturb=1000", "order.check=full",
                                                  NULL }, &(struct machine_plugins){ .coherence = c });
        for (unsigned i = 0; i < KERNELS; i++)
            for (uint32_t k = 0; k < PLACES; k++) {
                uint32_t y = X + SLICE_WORDS * (1 + k % 3);
                lab_run(&l, spellings[i].kernel, 8, (uint32_t[LAB_PARAMS]){ k / 3, (k / 3 + 1) % 4, X, y });
                old[i] += l.seen[0] == 1 && l.seen[1] == 0;
            }
        lab_close(&l);
    }
}

static void each_operation_orders_what_it_must(void **state)
{
    static const char text[] = HEAD SPELLINGS(KERNEL);
    static const struct { const char *policy; bool relaxed, block; } policies[] = {
        { "rmo-ptx", true, false }, { "rmo-paper", true, true }, { "tso", false, false }, { "sc", false, false },
        { "sc-types", false, false }
    };
    for (unsigned p = 0; p < sizeof policies / sizeof *policies; p++) {
        unsigned old[KERNELS] = { 0 };
        for (unsigned k = 0; k < PROTOCOLS; k++)
            count_old(policies[p].policy, protocols[k], text, old);
        for (unsigned i = 0; i < KERNELS; i++) {
            enum verdict v = spellings[i].verdict;
            bool shown = v == SHOWN ? policies[p].relaxed : v == BY_BLOCK && policies[p].block;
            if ((old[i] > 0) != shown)
                fail_msg("%s: the old value of x in %u runs of:\n%s", policies[p].policy, old[i], spellings[i].text);
        }
    }
}

/* ---- exempt accesses ---- */

/* Shows the cycles from a load that misses to the second access's issue, and whether that has the right value. */
#define SECOND_ACCESS(name, access, value) \
    ENTRY(name) ".local .align 4 .b8 own[16]; .shared .align 4 .b8 cell[16]; .reg .u64 %c, %t; mov.u64 %c, table;\n" \
    "ld.param.u32 %v0, [p5]; ld.param.u32 %v1, [p6]; mov.b64 %t, {%v0, %v1};\n" \
    "st.local.u32 [own], 7; mov.u32 %v3, 0;\n" \
    "mov.u32 %v0, %clock; ld.relaxed.gpu.global.u32 %v2, [%x];\n" access \
    "mov.u32 %v1, %clock; sub.u32 %v1, %v1, %v0; setp.ne.u32 %p, %v3, " value "; @%p mov.u32 %v1, 0;\n" \
    "add.u32 %v2, %v2, 1;\n" SHOW("0", "%v1") SHOW("4", "%v2") END

static const struct { const char *kernel; bool waits; } seconds[] = {
    { "second_global", true }, { "second_shared", true }, { "second_local", false }, { "second_const", false },
    { "second_param", false }, { "second_texture", false }
};

/* A texture of one texel, of value 7. */
static uint64_t texture(const struct lab *l)
{
    static const simtx_texel texel = { SIMTX_CHANNEL_UNSIGNED, 32, 1 };
    simtx_resource r = { .kind = SIMTX_RESOURCE_LINEAR, .texel = texel, .width = 1 };
    simtx_sampler s = { .address = { SIMTX_ADDRESS_CLAMP } };
    uint64_t handle = 0;
    if (simtx_malloc(l->gpu, 4, SIMTX_MEM_DEVICE, &r.pointer) || simtx_texture_new(l->gpu, &r, &s, &handle))
        fail_msg("%s", simtx_last_message(l->gpu));
    *(uint32_t *)r.pointer = 7;
    return handle;
}

/* Under sequential consistency an access to global or shared memory waits for the load before it, others do not. */
static void local_constant_and_texture_accesses_do_not_wait(void **state)
{
    static const char text[] =
        HEAD SECOND_ACCESS("second_global", "st.relaxed.gpu.global.u32 [%y], 1;\n", "0")
        SECOND_ACCESS("second_shared", "st.shared.u32 [cell], 1;\n", "0")
        SECOND_ACCESS("second_local", "st.local.u32 [own+4], 1;\n", "0")
        SECOND_ACCESS("second_const", "ld.const.u32 %v3, [%c];\n", "0")
        SECOND_ACCESS("second_param", "ld.param.u32 %v3, [p4];\n", "5")
        SECOND_ACCESS("second_texture", "tex.1d.v4.u32.s32 {%v3, %v4, %v5, %v6}, [%t, {0}];\n", "7");
    for (unsigned k = 0; k < PROTOCOLS; k++) {
        struct lab l;
        lab_open(&l, text, (const char *const[]){ "order.policy=sc", "xbar.vns=4", "dram.latency=1000", NULL },
                 &(struct machine_plugins){ .coherence = protocols[k] });
        uint64_t t = texture(&l);
        for (unsigned i = 0; i < sizeof seconds / sizeof *seconds; i++) {
            lab_run(&l, seconds[i].kernel, 1,
                    (uint32_t[LAB_PARAMS]){ 0, 0, X, X + 1024, 5, (uint32_t)t, (uint32_t)(t >> 32) });
            if (!l.seen[0] || (l.seen[0] > 500) != seconds[i].waits)
                fail_msg("%s issues after %u cycles", seconds[i].kernel, l.seen[0]);
        }
        lab_close(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_orders_what_it_must),
        cmocka_unit_test(local_constant_and_texture_accesses_do_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
