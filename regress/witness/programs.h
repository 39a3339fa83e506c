/*
 * The witnesses' programs. Message passing and store buffering: Alglave et al., GPU concurrency: weak behaviours and
 * programming assumptions (ASPLOS 2015).
 */
#ifndef REGRESS_WITNESS_PROGRAMS_H
#define REGRESS_WITNESS_PROGRAMS_H

#include "regress/witness/lab.h"

enum { X = 4096, SLICE_WORDS = 64, SLICES = 4 };     /* word of x; the slice changes every 64 of them */

#define ENTRY(name) ENTRY_OF(name, "")
#define ENTRY_OF(name, directives) \
    ".visible .entry " name "(.param .u64 words, .param .u64 seen, .param .u32 p0, .param .u32 p1, .param .u32 p2,\n" \
    "    .param .u32 p3, .param .u32 p4, .param .u32 p5, .param .u32 p6, .param .u32 p7)\n" \
    directives "{\n.reg .pred %p; .reg .u32 %b, %w, %r, %n, %d, %i, %v<8>; .reg .u64 %m, %s, %x, %y, %a, %o;\n" \
    "ld.param.u64 %m, [words]; ld.param.u64 %s, [seen]; mov.u32 %b, %ctaid.x; mov.u32 %i, %tid.x;\n" \
    "ld.param.u32 %w, [p0]; ld.param.u32 %r, [p1];\n" \
    "ld.param.u32 %n, [p2]; mul.wide.u32 %o, %n, 4; add.u64 %x, %m, %o;\n" \
    "ld.param.u32 %n, [p3]; mul.wide.u32 %o, %n, 4; add.u64 %y, %m, %o;\n"
#define AS_FIRST "setp.eq.u32 %p, %b, %w; @%p bra FIRST;\n"
#define AS_SECOND "setp.eq.u32 %p, %b, %r; @%p bra SECOND;\nret;\n"
#define AWAIT(label, flag) \
    label ": ld.volatile.global.u32 %n, [%m+" flag "]; setp.eq.u32 %p, %n, 0; @%p bra " label ";\n"
#define DELAY(label, param) \
    "ld.param.u32 %n, [" param "];\n" \
    label ": setp.eq.u32 %p, %n, 0; sub.u32 %n, %n, 1; @!%p bra " label ";\n"
#define SHOW(place, value) "st.global.u32 [%s+" place "], " value ";\n"
#define END "ret;\n}\n"

/* The first reads x, lets the second write it, and reads it again through L1, past it, and through it. */
#define STALE(name, past) \
    ENTRY(name) AS_FIRST AS_SECOND \
    "FIRST: ld.global.ca.u32 %v0, [%x]; st.volatile.global.u32 [%m+1024], 1;\n" AWAIT("A", "2048") \
    "ld.global.ca.u32 %v1, [%x]; " past " %v2, [%x]; ld.global.ca.u32 %v3, [%x]; mov.u32 %v4, %smid;\n" \
    SHOW("0", "%v0") SHOW("4", "%v1") SHOW("8", "%v2") SHOW("12", "%v3") SHOW("16", "%v4") "ret;\n" \
    "SECOND:" AWAIT("B", "1024") "st.global.u32 [%x], 1; membar.gl; st.volatile.global.u32 [%m+2048], 1;\n" \
    "mov.u32 %v0, %smid;\n" SHOW("20", "%v0") END

/* The first has a word beside x in L1, hears of the second's store to x, and reads x: without a race. */
#define BESIDE(name, hear) \
    ENTRY(name) AS_FIRST AS_SECOND \
    "FIRST: ld.global.ca.u32 %v0, [%y]; st.volatile.global.u32 [%m+1024], 1; add.u64 %a, %m, 2048;\n" \
    "A: " hear " setp.eq.u32 %p, %n, 0; @%p bra A;\n" \
    "ld.global.ca.u32 %v1, [%x];\n" SHOW("0", "%v0") SHOW("4", "%v1") "ret;\n" \
    "SECOND:" AWAIT("B", "1024") "st.global.u32 [%x], 1; membar.gl; st.volatile.global.u32 [%m+2048], 1;\n" END

/* The same in a cluster of two blocks, by way of shared memory: rank 1 has a word beside x in L1; rank 0 stores to x,
 * then to its own flag and to that of rank 1, and arrives at rank 1's barrier object. %v2, %v3: flag and object of the
 * other. */
#define SYNC "barrier.cluster.arrive; barrier.cluster.wait;\n"
#define CLUSTER_BESIDE(name, hear) \
    ENTRY_OF(name, ".reqnctapercluster 2\n") ".shared .align 8 .b64 object; .shared .align 4 .b32 flag;\n" \
    "setp.ne.u32 %p, %i, 0; @%p ret; mbarrier.init.shared.b64 [object], 1; st.shared.u32 [flag], 0;\n" \
    "mov.u32 %b, %cluster_ctarank; xor.b32 %r, %b, 1; mov.u32 %v2, flag; mapa.shared::cluster.u32 %v2, %v2, %r;\n" \
    "mov.u32 %v3, object; mapa.shared::cluster.u32 %v3, %v3, %r;\n" SYNC "setp.eq.u32 %p, %b, 0; @%p bra SECOND;\n" \
    "ld.global.ca.u32 %v0, [%y]; st.volatile.global.u32 [%m+1024], 1;\n" \
    "A: " hear " @!%p bra A;\n" \
    "ld.global.ca.u32 %v1, [%x];\n" SHOW("0", "%v0") SHOW("4", "%v1") SYNC "ret;\n" \
    "SECOND:" AWAIT("B", "1024") "nanosleep.u32 1000; st.global.u32 [%x], 1;\n" \
    "st.release.cluster.shared::cta.u32 [flag], 1;\nst.release.cluster.shared::cluster.u32 [%v2], 1;\n" \
    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%v3];\n" SYNC END

/* p7 instructions whose 32 lanes store to as many lines, p6 words apart, in the way of what goes to the slice of x. */
#define CROWD \
    "ld.param.u32 %n, [p6]; add.u32 %v7, %i, 1; mul.wide.u32 %a, %n, %v7; shl.b64 %a, %a, 2;\n" \
    "add.u64 %a, %a, %x; ld.param.u32 %n, [p7];\n" \
    "N: setp.eq.u32 %p, %n, 0; @%p bra M; st.global.u32 [%a], %i; add.u64 %a, %a, 128; sub.u32 %n, %n, 1; bra N;\nM: "

/* The first writes x, then y. */
#define MESSAGE(name, fence) \
    ENTRY(name) AS_FIRST AS_SECOND \
    "FIRST:" DELAY("A", "p4") CROWD \
    "st.relaxed.gpu.global.u32 [%x], 1;\n" fence "st.relaxed.gpu.global.u32 [%y], 1; ret;\n" \
    "SECOND:" DELAY("B", "p5") \
    "ld.relaxed.gpu.global.u32 %v0, [%y];\n" fence "ld.relaxed.gpu.global.u32 %v1, [%x];\n" \
    SHOW("0", "%v0") SHOW("4", "%v1") END

/* Each writes one word and reads the other. */
#define BUFFER(name, fence) \
    ENTRY(name) AS_FIRST AS_SECOND \
    "FIRST:" DELAY("A", "p4") CROWD \
    "st.relaxed.gpu.global.u32 [%x], 1;\n" fence "ld.relaxed.gpu.global.u32 %v0, [%y];\n" \
    SHOW("0", "%v0") "ret;\n" \
    "SECOND:" DELAY("B", "p5") "st.relaxed.gpu.global.u32 [%y], 1;\n" fence "ld.relaxed.gpu.global.u32 %v0, [%x];\n" \
    SHOW("4", "%v0") END

/* Both have the lines in L1; then the first writes the even bytes of eight lines, the second the odd ones, each its own
 * value, and each reads its bytes back. */
#define BYTES(name) \
    ENTRY(name) AS_FIRST AS_SECOND \
    "FIRST: mov.u32 %v0, 0; bra GO;\nSECOND: mov.u32 %v0, 1;\n" \
    "GO: mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %m; mul.wide.u32 %o, %v0, 1; mov.u32 %n, 8; mov.u32 %v5, 0;\n" \
    "L: ld.global.ca.u32 %v1, [%a]; add.u64 %y, %a, %o;\n" \
    "add.u32 %v2, %n, %v0; mul.lo.u32 %v2, %v2, 16; add.u32 %v2, %v2, %v0;\n" \
    "st.global.u8 [%y], %v2; add.u32 %v3, %v2, 4; st.global.u8 [%y+2], %v3;\n" \
    "ld.global.ca.u8 %v4, [%y]; setp.ne.u32 %p, %v4, %v2; @%p add.u32 %v5, %v5, 1;\n" \
    "add.u64 %a, %a, 128; sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra L;\n" \
    "shl.b32 %v0, %v0, 2; mul.wide.u32 %o, %v0, 1; add.u64 %s, %s, %o; red.global.add.u32 [%s], %v5;\n" END

/* Each thread, eight times: adds to a counter of many, writes a word of a line that other SMs' threads write too, reads
 * it back, keeps a private array; the old values of the counters and what was read back are summed up. */
#define MIX \
    ".visible .entry mix(.param .u64 words, .param .u64 seen, .param .u32 p0, .param .u32 p1, .param .u32 p2,\n" \
    "    .param .u32 p3, .param .u32 p4, .param .u32 p5, .param .u32 p6, .param .u32 p7)\n{\n" \
    ".local .align 4 .b8 own[256]; .reg .pred %p; .reg .u32 %i, %k, %v<8>; .reg .u64 %m, %s, %a, %l;\n" \
    "ld.param.u64 %m, [words]; ld.param.u64 %s, [seen]; mov.u32 %i, %ctaid.x; mov.u32 %v0, %tid.x;\n" \
    "mad.lo.u32 %i, %i, 32, %v0; mov.u32 %k, 0; mov.u32 %v7, 0; mov.u64 %l, own;\n" \
    "L: mad.lo.u32 %v0, %i, 7, %k; and.b32 %v0, %v0, 63; mul.wide.u32 %a, %v0, 4; add.u64 %a, %a, %m;\n" \
    "atom.global.add.u32 %v1, [%a], 1; add.u32 %v7, %v7, %v1;\n" \
    "mul.lo.u32 %v0, %i, 37; and.b32 %v0, %v0, 511; mul.wide.u32 %a, %v0, 4; add.u64 %a, %a, %m;\n" \
    "add.u32 %v2, %i, %k; st.global.u32 [%a+4096], %v2; ld.global.ca.u32 %v3, [%a+4096]; add.u32 %v7, %v7, %v3;\n" \
    "mul.wide.u32 %a, %k, 32; add.u64 %a, %a, %l; st.local.u32 [%a], %v2;\n" \
    "ld.local.u32 %v4, [own]; add.u32 %v7, %v7, %v4;\n" \
    "add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 8; @%p bra L; red.global.add.u32 [%s], %v7; ret;\n}\n"

/* Two blocks take turns, p2 times each, to add one to x; the turn is in y. */
#define TURNS \
    ENTRY("turns") AS_FIRST AS_SECOND "FIRST: mov.u32 %v0, 0; mov.u32 %v1, 1; bra GO;\n" \
    "SECOND: mov.u32 %v0, 1; mov.u32 %v1, 0;\nGO: ld.param.u32 %d, [p4];\n" \
    "L: ld.volatile.global.u32 %v2, [%y]; setp.ne.u32 %p, %v2, %v0; @%p bra L; membar.gl;\n" \
    "ld.global.cg.u32 %v3, [%x]; add.u32 %v3, %v3, 1; st.global.u32 [%x], %v3; membar.gl;\n" \
    "st.volatile.global.u32 [%y], %v1;\n" \
    "sub.u32 %d, %d, 1; setp.ne.u32 %p, %d, 0; @%p bra L;\n" END

enum { MIX_BLOCKS = 16, MIX_SUM = MIX_BLOCKS * 32 * 8 };

static const char programs[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    STALE("stale_cg", "ld.global.cg.u32") STALE("stale_volatile", "ld.volatile.global.u32")
    BESIDE("beside_membar", "ld.volatile.global.u32 %n, [%a]; membar.gl;")
    BESIDE("beside_fence", "ld.relaxed.sys.global.u32 %n, [%a]; fence.acq_rel.sys;")
    BESIDE("beside_load", "ld.acquire.gpu.global.u32 %n, [%a];")
    BESIDE("beside_atom", "atom.acquire.gpu.global.add.u32 %n, [%a], 0;")
    MESSAGE("message", "") MESSAGE("message_membar", "membar.gl;\n") MESSAGE("message_fence", "fence.acq_rel.gpu;\n")
    BUFFER("buffer", "") BUFFER("buffer_membar", "membar.gl;\n") BUFFER("buffer_fence", "fence.sc.gpu;\n")
    BYTES("bytes") MIX TURNS;

static const char cluster_programs[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    CLUSTER_BESIDE("beside_try_wait", "mbarrier.try_wait.acquire.cluster.shared::cta.b64 %p, [object], 0;")
    CLUSTER_BESIDE("beside_own", "ld.acquire.cluster.shared::cta.u32 %n, [flag]; setp.ne.u32 %p, %n, 0;")
    CLUSTER_BESIDE("beside_other", "ld.acquire.cluster.shared::cluster.u32 %n, [%v2]; setp.ne.u32 %p, %n, 0;")
    CLUSTER_BESIDE("beside_barrier", SYNC "setp.eq.u32 %p, %b, %b;")
    CLUSTER_BESIDE("beside_atom", "atom.acquire.cluster.shared::cluster.add.u32 %n, [%v2], 0; setp.ne.u32 %p, %n, 0;");

#endif
