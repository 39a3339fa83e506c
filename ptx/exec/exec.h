/*
 * The state of a running kernel: program, launch, host worker, block, warp, and the 32-lane halves that instructions
 * act on. A wavefront of 64 lanes is two PTX warps that share one SIMT stack; each half has its own registers, lane
 * numbers and warp-level operations. With warp size 32 there is one half.
 */
#ifndef PTX_EXEC_H
#define PTX_EXEC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/stats.h"
#include "ptx/program/code.h"
#include "ptx/memory/devmem.h"

enum { MAX_HALVES = 2, MAX_BARRIERS = 16, BOUNDS_CACHE = 256, MAX_BLOCK_THREADS = 1024, CALL_DEPTH_MAX = 4096,
       CLUSTER_MAX = 16,                 /* blocks of a cluster */
       WARPGROUP_THREADS = 128, WARPGROUPS_MAX = MAX_BLOCK_THREADS / WARPGROUP_THREADS,
       WARPGROUP_LOG = 32,               /* products of a warpgroup that are compared (ptx/matrix/warpgroup.c) */
       BLOCK_BARRIERS = MAX_BARRIERS + WARPGROUPS_MAX,    /* the barriers of bar, then one of each warpgroup */
       WARP_SPIN_FIRST = 16 };           /* backward branches before a loop is first checked for waiting (spin.c) */

/* Linked modules, loaded into a device; kernels are launched from it. */
struct program {
    struct ptx_module *module;
    struct arena *arena;             /* decoded code */
    enum lanes_isa isa;
    bool independent;                /* lanes of a warp progress independently (simt = independent) */
    bool inverted_carry;             /* sub.cc and subc keep the borrow inverted (gpu.sub_carry) */
    bool watched;                    /* memory instructions are watched in functional mode (ptx/watch/watch.h) */
    uint32_t warp_size;
    struct ptx_func **func_at;       /* by index, for function addresses */
    uint32_t nfuncs;
    uint32_t mem_ids;                /* memory instructions decoded so far */
    struct devmem *mem;
    uint64_t param_address;          /* device address of the buffer that holds a launch's parameters */
    uint32_t dynamic_offset;         /* where dynamic shared memory starts in every kernel */
};

enum { PARAM_MAX = 32764, REGISTERS_MAX = 64 << 20 };        /* bytes: the last of a warp's frames */
/* A frame ends with scratch values: one for results that are not used, then temporaries of an instruction. */
enum { SCRATCH_BYTES = 512, SCRATCH_TEMPORARIES = 4, SCRATCH_AREA = SCRATCH_BYTES * (1 + SCRATCH_TEMPORARIES) };

struct builtin;
struct tex_table;
struct launch;
struct cluster;
struct worker;
struct watch;
struct block;
struct warp;
struct txn;

/* One PTX warp: 32 lanes with their registers and private memory. The lanes structure comes first. */
struct half {
    struct lanes l;
    struct warp *warp;
    struct worker *worker;
    char *regs;                      /* register memory of all frames */
    char *special;                   /* special registers */
    char *local;                     /* private memory of all frames, interleaved by word (code.h) */
    char *frame_local;               /* of the current frame */
    uint32_t top[LANES];             /* of each lane's stack, a byte of private memory; unless code->stack, unset */
    /* timing mode */
    uint64_t local_device;           /* device address of .local variables, set before block_start; 0: in local */
    uint32_t *param_lanes;           /* by word of private memory: the lanes whose frame has a .param variable there */
    uint8_t index;                   /* 0 or 1 */
};

/* The call frame of a function that some lanes of a warp execute. */
struct frame {
    const struct code *code;
    uint64_t live;                   /* lanes that have not returned yet */
    uint32_t reg_base, local_base;   /* byte offsets into the register and private memory */
    uint32_t caller;                 /* index of the calling frame */
    uint32_t ret_pc;                 /* the step after the call */
    uint32_t depth;
    const struct call_site *site;    /* in the caller; NULL in the kernel's frame */
    bool used;
};

/* An entry of the SIMT stack; in independent mode a group of lanes with one program counter. */
struct simt_entry {
    uint64_t mask;
    uint32_t pc, rpc;                /* indices in the frame's code; rpc UINT32_MAX = no reconvergence point */
    uint32_t frame;
    /* independent mode */
    uint32_t yields;                 /* time slices that the group has ended or given up; the fewest runs first */
    uint64_t idle;                   /* worker's `changes` when it was last found waiting; UINT64_MAX never */
    uint8_t waits;                   /* enum wait */
    uint8_t barrier;
    /* stack */
    bool alone;                      /* it arrives at its barrier without other lanes (check.barrier) */
};

enum wait { WAIT_NONE, WAIT_BARRIER, WAIT_LANES, WAIT_CLUSTER };

enum warp_state { WARP_READY, WARP_BARRIER, WARP_DONE, WARP_FAULT, WARP_TX };

/*
 * A transaction in progress. In functional mode lanes execute one after another from tx_begin to tx_commit (manual,
 * Transactions). In timing mode with a TM protocol struct txn (txn_state.h) has the rest of the state.
 */
struct tx {
    bool open;
    uint32_t depth;                  /* flattened nesting */
    uint32_t lane;
    uint64_t remaining;              /* lanes that have not executed it yet */
    uint32_t begin_pc, begin_frame;
    uint64_t host_done;              /* lanes for which a host function completed before it faulted for another */
    uint32_t step_pc, step_entries;  /* timing mode: the stack before the instruction that executes */
    uint32_t ndone;
    struct path { uint32_t pc, block; uint64_t mask; } done[4];   /* lanes that committed, by their next step */
};

struct warp {
    struct half half[MAX_HALVES];
    struct block *block;
    uint32_t index;                  /* within the block */
    uint8_t state, halves, isa;      /* enum warp_state; of the warp size; the program's enum lanes_isa */
    uint64_t exist;                  /* launched and not exited */
    uint64_t launched;
    struct simt_entry *entry;
    uint32_t nentry, entry_cap, current;
    struct frame *frame;
    uint32_t nframe, frame_cap;
    uint32_t (*saved_top)[MAX_HALVES * LANES], saved_top_cap;    /* by frame, by lane (stack.c) */
    uint32_t regs_cap, local_cap;    /* bytes of one half's register and private memory */
    uint64_t executed;               /* warp instructions before the current run of steps; the warp's clock */
    uint32_t run_from;               /* seq of the first step of that run */
    int64_t budget;                  /* warp instructions left of its time slice */
    struct { uint32_t pc, wait, period, tries; uint64_t hash, changes, seen; } spin;   /* the checked loop (spin.c) */
    bool spinning;                   /* its last time slice ended in a loop whose state does not change */
    const struct dinst *spin_at;     /* the backward branch of that loop */
    bool chosen;                     /* step.c: the next instruction is known: `here`, its counting step */
    const struct dinst *here;
    const struct code *here_code;
    uint64_t cluster_arrived, cluster_passed, cluster_waiting;   /* lanes, at the barrier of the cluster (cluster.c) */
    struct tx tx;
    struct txn *txn;                 /* timing mode: NULL before the first transaction */
    uint32_t attempt;                /* attempts of its transactions so far (txn.h) */
};

struct barrier {
    uint32_t arrived;                /* threads */
    uint32_t expected;               /* 0 = all threads of the block */
    uint32_t popc;
    bool all, any, active;
    uint64_t *arrived_mask;          /* by warp, lanes that arrived */
    uint64_t *waiting_mask;          /* by warp, lanes that wait; bar.arrive does not */
    uint8_t red;                     /* MOD(REDOP, ..) or 0 */
};

/* The latest products of a warpgroup, by their number, as the warp that issued each of them first executed it. */
struct warpgroup {
    uint64_t issued[WARPGROUP_THREADS / LANES];      /* by PTX warp */
    struct warpgroup_product {
        const struct dinst *d;
        uint64_t number, a, b;       /* number from 1 on; descriptors, a is 0 of a matrix in registers */
        uint32_t warp;
        bool adds;                   /* to D */
    } product[WARPGROUP_LOG];
};

struct block {
    struct launch *launch;
    struct worker *worker;
    struct warp *warps;
    uint32_t nwarps, live_threads;
    uint32_t id[3];
    uint64_t linear;
    uint64_t order;                  /* position in the order in which blocks run */
    char *memory;                    /* special registers and private memory of its warps */
    size_t special_bytes;            /* of a half */
    char *shared;
    uint32_t shared_bytes;
    struct barrier barriers[BLOCK_BARRIERS];
    uint64_t *barrier_masks;
    bool barriers_used;              /* some thread has arrived at one */
    struct warpgroup *warpgroups;    /* [WARPGROUPS_MAX]; NULL: no products yet */
    struct cluster *cluster;         /* functional mode: NULL = it is alone (cluster.h) */
    uint32_t rank;                   /* in its cluster */
    uint32_t cluster_arrived;        /* threads, in this phase of the barrier of the cluster */
    bool cluster_used;               /* some thread has arrived at it */
    bool cluster_complete;           /* timing mode: all threads have arrived; until cluster_release */
    uint64_t released;               /* warps that a barrier released; the scheduler clears the bits */
    bool spinning;                   /* its last time slice made no progress */
    bool waits;                      /* spinning at the end of its last slice in grid.c; not set in timing mode */
    struct watch *watch;             /* ptx/watch/watch.h; NULL: not watched */
    uint64_t idle_threads, idle_warps;           /* instructions of the slices since then that changed no memory */
};

enum fault_kind {
    FAULT_NONE, FAULT_BOUNDS, FAULT_FREED, FAULT_MISALIGNED, FAULT_SPACE, FAULT_READ_ONLY, FAULT_BARRIER,
    FAULT_DEADLOCK, FAULT_STACK, FAULT_TRAPPED, FAULT_ASSERT, FAULT_CALL, FAULT_TX, FAULT_HEAP, FAULT_WARP,
    FAULT_TEXTURE, FAULT_RACE, FAULT_UNINITIALISED
};

/* Checks of programs and what a failed one does (check.h); the values are the positions in the keys' choices. */
enum check { CHECK_MEMORY, CHECK_BARRIER, CHECK_WARP, CHECK_RACES, CHECK_UNINITIALISED, CHECKS };
enum check_level { CHECK_FAULT, CHECK_WARN, CHECK_OFF };
struct check_log;

/* A fault report. Of several the launch keeps that of the lowest block. */
struct fault {
    enum fault_kind kind;
    const struct ptx_func *func;
    const struct ptx_inst *inst;
    uint32_t block[3], thread[3];
    uint64_t order;                  /* of the block */
    uint64_t address;
    char text[3072];
};

/* A host thread that executes blocks. */
struct worker {
    struct launch *launch;
    uint64_t changes;                /* stores, atomics that changed memory, barriers: events that end waiting loops */
    struct { uint64_t lo, hi, from; } bounds[BOUNDS_CACHE];    /* by instruction: allocation, last row's address */
    struct fault *fault;             /* set when a fault was raised */
    struct fault fault_store;
    uint64_t shown;                  /* its thread instructions that are in the launch's sum */
    bool first;                      /* runs on the calling thread, which shows progress and starts the others */
    bool parallel;                   /* other workers run at the same time: atomics are host atomics */
    _Atomic int64_t waits_at;        /* the epoch in which all its blocks waited (grid.c) */
    struct block **left;             /* blocks that were resident when it ended */
    uint32_t nleft;
    pthread_t thread;
    /* timing mode */
    const uint64_t *clock;           /* core cycle now; NULL: a warp's clock counts its instructions */
    /* The 128 bytes of a line of private memory in this SM's caches; NULL: device memory has them. May be NULL. */
    const uint8_t *(*private_line)(void *ctx, uint64_t line);
    /* Writes words of one such line, n bytes, after all earlier stores; NULL: writes device memory. */
    void (*private_write)(void *ctx, uint64_t address, const void *bytes, unsigned n);
    void *private_ctx;
    uint64_t count[STAT_END];        /* what its blocks counted (base/stats.h) */
};

struct launch {
    struct program *program;
    const struct code *code;
    struct devmem *mem;
    const struct tex_table *textures;    /* objects that handles name */
    uint32_t grid[3], block[3];
    uint32_t cluster[3], cluster_blocks; /* blocks of a cluster, by dimension and in all; 0 = 1 */
    bool explicit_cluster;           /* the launch or the kernel has a cluster shape */
    uint64_t nblocks;                /* to run */
    const uint64_t *chosen;          /* their numbers, ascending; NULL = 0 .. nblocks - 1 */
    uint32_t threads_per_block, warp_size, nwarps;
    uint32_t dynamic_shared, shared_bytes, dynamic_offset;
    uint32_t shared_reserved;        /* bytes of shared memory after those that the kernel can address */
    const char *param;               /* parameter block of the kernel, padded: a buffer in device memory */
    uint32_t param_bytes;
    uint32_t resident;               /* blocks that may be resident at once */
    uint32_t sms;
    uint64_t stack_bytes;            /* private memory a lane when call depth is unknown */
    uint64_t quantum;                /* warp instructions of a warp's time slice */
    uint64_t block_quantum;          /* and of a block's */
    uint64_t grid_id;
    uint64_t clock_base;             /* nanoseconds on the simulated clock at the start */
    bool timed;                      /* timing mode: warps are stepped (step.h) */
    bool tm, tm_serial;              /* timing mode: a TM protocol executes transactions (txn.h) */
    uint64_t clock_khz, clock_start; /* timing mode: frequency of worker->clock, and its value at the start */
    uint32_t host_threads;
    uint64_t threads_after;          /* warp instructions of the first worker before the others start */
    bool serial;                     /* blocks in the one-thread order */
    _Atomic uint64_t next_block, blocks_done;
    _Atomic uint64_t instructions;   /* thread instructions so far, for the progress line */
    _Atomic uint64_t fault_block;    /* lowest faulting block so far; UINT64_MAX none */
    atomic_bool deadlock;            /* all blocks of all workers wait */
    struct worker *workers;          /* host_threads of them */
    uint32_t started;                /* workers that run, from the first on */
    struct grid_pool *pool;          /* kept from launch to launch; may be NULL */
    _Atomic int64_t epoch;           /* advances after changes of memory and ends of blocks */
    uint8_t check[CHECKS];           /* enum check_level */
    bool watched;                    /* check.races or check.uninitialised is not off; else these two are not read */
    struct check_log *checks;        /* of the GPU; NULL: failed checks are counted, not reported */
    const atomic_bool *interrupt;    /* set from a signal handler or another thread; NULL never */
    void *owner;                     /* the GPU, for the built-in functions */
    void (*print)(void *owner, const char *text, size_t len);
    void *(*heap_alloc)(void *owner, uint64_t bytes);
    bool (*heap_free)(void *owner, void *p);
    void (*progress)(void *owner, uint64_t done, uint64_t total, uint64_t thread_instructions);
    uint64_t *count;                 /* [STAT_END] of the owner: what all workers counted is added at the end */
    struct fault fault;
    bool interrupted;
    char where[1200];                /* if interrupted: lines that say where the warps are (where.c) */
};

/* The number of the i-th block that runs: cluster after cluster, in a cluster in the order of the ranks. */
uint64_t launch_cluster_block(const struct launch *la, uint64_t i);
static inline uint64_t launch_block(const struct launch *la, uint64_t i)
{
    return la->chosen ? la->chosen[i] : la->cluster_blocks > 1 ? launch_cluster_block(la, i) : i;
}

/* Constant variables are in global memory, and kernels read them through a cache that does not see writes. So a kernel
 * without accesses to constant memory may write one, at an address from cudaGetSymbolAddress; others must not. */
static inline bool launch_may_write(const struct launch *la, const struct mem_range *m)
{
    return m->kind != MEM_PARAMETERS && (m->kind != MEM_CONSTANT || !la->code->constants);
}

static inline bool launch_interrupted(const struct launch *la)
{
    return la->interrupt && atomic_load_explicit(la->interrupt, memory_order_relaxed);
}

/* What a launch leaves to the next one, which then allocates nothing if its blocks have the same shape. */
struct grid_pool { struct worker *worker; struct block *block; uint32_t threads, shared; };
void grid_pool_free(struct grid_pool *p);

/* Runs the whole grid. False when a fault or an interruption ended it (launch->fault, launch->interrupted). */
bool grid_run(struct launch *la);

/* ---- block.c: contexts of blocks and their time slices ---- */
struct block *block_new(struct worker *w);
void block_free(struct block *b);
void block_renew(struct block *b, struct worker *k);    /* a context of the same shape, for another launch */
uint32_t launch_private_bytes(const struct launch *la);    /* private memory of a lane, all frames */
void block_start(struct block *b, uint64_t linear, uint32_t sm);    /* sm: value of %smid */
enum block_result { BLOCK_DONE, BLOCK_MORE, BLOCK_FAULT };
/* Runs the block's warps until all are done, or they executed `quantum` warp instructions, or all wait in loops. */
enum block_result block_run(struct block *b, uint64_t quantum);

/* ---- run.c, spin.c ---- */
/* Runs one warp until it waits, ends, faults, or has used its budget. */
void warp_run(struct warp *w);
/* A hash of the warp's state: its entries, and the registers and private memory of all frames. */
uint64_t warp_state(const struct warp *w);

/* ---- simt.c: the stack of diverged paths, for both modes ---- */
static inline struct simt_entry *simt_top(struct warp *w)
{
    return &w->entry[w->current];
}
void simt_start(struct warp *w, const struct code *code, uint64_t mask);
void simt_branch(struct warp *w, uint32_t taken_pc, uint64_t taken, uint32_t next_pc, uint32_t rpc);
/* The branch of simt_branch with a stack, if some lanes of the top entry take it and some do not. */
void simt_diverge(struct warp *w, uint32_t taken_pc, uint64_t taken, uint32_t next_pc, uint32_t rpc);
struct simt_entry *simt_push(struct warp *w, uint64_t mask, uint32_t pc, uint32_t rpc, uint32_t frame);
void simt_pop(struct warp *w);                    /* stack: pops the top entry, and its frame if that has no lanes */
bool simt_settle(struct warp *w);                 /* pops finished paths; false when the warp has no lanes left */
void simt_exit(struct warp *w, uint64_t lanes);   /* lanes leave the kernel */
void simt_return(struct warp *w, uint64_t lanes); /* lanes leave the current frame */
void simt_call(struct warp *w, uint32_t frame, uint64_t lanes, uint32_t ret_pc);
bool simt_pick(struct warp *w);                   /* independent mode: selects the next group; false: all wait */
bool simt_pick_lane(struct warp *w, uint32_t lane);   /* the group of one lane (inside a transaction) */
/* Stack: the top entry waits, and an entry of other lanes that can run becomes the top. False: there is none. */
bool simt_defer(struct warp *w, enum wait how);
/* Stack: the top entry waits, and the lowest entry that waits for lanes becomes the top, alone. False: there is
 * none. */
bool simt_resume(struct warp *w, enum wait how);
/* Stack: merges entries that wait in this way at pc, with the top entry's frame and reconvergence point, into the top
 * entry; returns their lanes. */
uint64_t simt_join(struct warp *w, uint32_t pc, enum wait how);
/* Independent mode: the current group waits and is scheduled last; have all groups waited since the last change? */
bool simt_all_idle(struct warp *w, uint64_t changes);
/* Replaces the current entry by several paths that reconverge at rpc (UINT32_MAX: where the entry itself does). */
void simt_split(struct warp *w, const struct path *path, uint32_t n, uint32_t rpc);
/* Lanes of the warp that are not in the current group; *where: the next step of one such group. */
uint64_t simt_other_lanes(const struct warp *w, const struct dinst **where);
/* Sets the base addresses of the halves to a frame's registers, constants and private memory. */
void warp_set_frame(struct warp *w, uint32_t frame);
/* A new frame for a callee of `caller`; -1 (and a fault) when the stack is exhausted. */
int warp_push_frame(struct warp *w, const struct dinst *d, const struct code *callee, uint32_t caller, uint64_t lanes);

/* ---- txn.c ---- */
void txn_free(struct warp *w);

/* ---- where.c ---- */
/* Sets launch->where from the blocks that the n workers left unfinished. */
void where_warps_are(struct launch *la, const struct worker *k, uint32_t n);

/* ---- barrier.c ---- */
/* The first PTX warp of the warpgroup of a half. */
static inline uint32_t warpgroup_first(const struct warp *w, uint32_t half)
{
    enum { WARPS = WARPGROUP_THREADS / LANES };
    return (w->index * w->halves + half) / WARPS * WARPS;
}
bool barrier_arrive(struct warp *w, const struct dinst *d, uint64_t lanes);  /* false: the warp waits, or a fault */
void barrier_lanes_left(struct block *b);         /* to be called after lanes exited */
/* Are all lanes of the warp at the barrier? If not, others run first, or it is a fault. *lanes: those that execute it;
 * adds lanes that already wait at it. */
bool barrier_converges(struct warp *w, const struct dinst *d, uint64_t *lanes);
/* Stack: can no other lanes of the warp run? If they can, they do, and the instruction executes again: false; its lanes
 * wait in this way until then. *lanes: adds those that already wait so at it. */
bool barrier_gather(struct warp *w, const struct dinst *d, uint64_t *lanes, enum wait how);

/* ---- call.c, builtin.c ---- */
struct builtin { const char *name; void (*run)(struct warp *w, const struct dinst *d, uint64_t lanes); };
const struct builtin *builtin_find(const char *name);
bool call_enter(struct warp *w, const struct dinst *d, uint64_t lanes);       /* false: fault */
void call_leave(struct warp *w, uint32_t frame, uint64_t lanes);              /* copies the results to the caller */

/* ---- fault.c ---- */
/* Records a fault of one lane; `what` is its message, a printf format. Always returns CONTROL_FAULT. */
int fault_raise(struct warp *w, const struct dinst *d, enum fault_kind kind, int lane, uint64_t address,
                const char *what, ...) __attribute__((format(printf, 6, 7)));
/* Sets the fault's fields and its report, whose first line is the head and the kind's title. */
void fault_compose(struct fault *f, const struct warp *w, const struct dinst *d, enum fault_kind kind, int lane,
                   uint64_t address, const char *head, const char *words);
/* An illegal access of a lane. CONTROL_NEXT: check.memory tolerates it, as reading 0 or writing nothing. */
int fault_memory(struct half *h, const struct dinst *d, int lane, uint64_t address, unsigned bytes, bool write);
/* Where a global address lies relative to the allocations around it, in words. */
void fault_describe_address(const struct launch *la, uint64_t address, char *buf, size_t size);
void fault_no_progress(struct block *b);          /* every warp waits: at barriers or in loops */
/* The step at which lanes that do not run wait, or with which they continue. */
const struct dinst *fault_waiting_at(const struct warp *w, const struct simt_entry *e);
/* Of a warp that spins in a loop: do lanes below it in the SIMT stack continue at code that may change memory? */
bool fault_waits_for_own_lanes(const struct warp *w);
#define FAULT_LOCK_ADVICE \
    "Run with --simt independent, or write the loop so that the lanes that succeed do their work inside it (the " \
    "compiler moves it out unless the loop ends in SIMTX_LOCK_DONE, simtx_tm.h)."
void fault_place(const struct dinst *d, char *buf, size_t size);   /* "line 12" */
/* "app.ptx:12:5: ld.global.u32 ..." and, if there is a .loc, "(app.cu:7)". */
void fault_describe(const struct code *c, const struct dinst *d, char *buf, size_t size);

void warp_thread(const struct warp *w, int lane, uint32_t id[3]);   /* threadIdx of a lane */

/* ---- memory functions, built once per vector width (mem_lanes.c) ---- */
ptx_fn *mem_select(enum lanes_isa isa, const struct ptx_inst *in, struct dinst *d);
/* A step that executes load d of 4 bytes, the pair of its address after it, and load d[3]; or NULL. */
ptx_fn *mem_indexed(enum lanes_isa isa, const struct dinst *d);
/* Parameters have the same generic addresses in all launches of a program; their bytes are in this launch's buffer. */
static inline uint64_t launch_parameter(const struct launch *la, uint64_t address)
{
    uint64_t offset = address - la->program->param_address;
    return offset < PARAM_MAX ? (uint64_t)(uintptr_t)la->param + offset : address;
}
/* The address operand of a lane: its base, a register or constant, and the displacement. */
static inline uint64_t mem_address(const struct lanes *x, const struct dinst *d, int lane)
{
    uint64_t base = d->addr_size == 8   ? ((const uint64_t *)lanes_at(x, d->src[0]))[lane]
                    : d->addr_size == 4 ? ((const uint32_t *)lanes_at(x, d->src[0]))[lane]
                                        : 0;
    return base + (uint64_t)d->imm;
}
/* Host address of [address, address + bytes) for one lane, or NULL when the access is illegal. */
char *mem_resolve(struct half *h, enum ptx_space space, uint64_t address, int lane, unsigned bytes, bool write);
/* The same for an address of shared memory that instruction d accesses, the own block's or another's of the cluster. */
char *mem_resolve_shared(struct half *h, const struct dinst *d, uint64_t address, int lane, unsigned bytes);
/* Addresses in shared and local memory have 32 bits on hardware, and wrap around. Generic addresses do not. */
bool mem_wraps(const struct dinst *d);
/* A load or store whose lane is outside the memory of its space: executes it with wrapped addresses, or without the
 * lanes outside, or faults. address: of all active lanes; if d has no address register, of this lane, for all. */
int mem_outside(struct lanes *x, const struct dinst *d, const uint64_t *address, int lane, unsigned width, bool write,
                ptx_fn *again);
/* Sets the results of a load or an atomic to 0. */
void mem_clear_results(struct lanes *x, const struct dinst *d, uint32_t lanes);
/* The elements of a vector atomic: d->extra. */
struct atom_vector { operand value[8], *result; };
ptx_fn *atom_select(const struct ptx_inst *in, struct dinst *d);

static inline struct half *half_of(struct lanes *x)
{
    return (struct half *)x;
}

static inline uint64_t mask_all(uint32_t n)
{
    return n >= 64 ? ~0ull : (1ull << n) - 1;
}

#endif
