/*
 * A warp's memory instruction between issue and performance. At issue the addresses and data of every lane are
 * captured, so that later instructions may overwrite the registers. When the memory system performs an access, the
 * functions here copy bytes between a line and the lanes' registers. Caches and time are not part of this interface.
 *
 * Private memory in timing mode: .local variables are in device memory (half->local_device, a multiple of 128, set
 * before block_start), interleaved by word over the lanes as in code.h, and are accessed like global memory. .param
 * variables of calls (ABI registers on hardware) are in half->local and are read and written at issue;
 * half->param_lanes marks their words, from the push of a frame on. Host functions read .local variables through
 * worker->private_line; the warp's stores must have performed before such a call.
 */
#ifndef PTX_ACCESS_H
#define PTX_ACCESS_H

#include "ptx/exec/exec.h"

/* The memory that serves an access. Lanes of a generic access are sorted by it; one instruction may need several. */
enum mem_server { SERVE_GLOBAL, SERVE_SHARED, SERVE_LOCAL, SERVE_CONST, SERVE_TEXTURE,
                  SERVE_CLUSTER,     /* the shared memory of another block of the cluster */
                  SERVERS };
/* Which caches may serve it (PTX ISA 9.7.9.1): PATH_L2 for .cg, .cv, .wt, volatile, relaxed and stronger, atomics. */
enum mem_path { PATH_CACHED, PATH_L2 };

/* Classes of atomics with the same duration: integer add and the like, exchange, compare-and-swap, floating point. */
enum atomic_class { ATOMIC_INTEGER, ATOMIC_EXCH, ATOMIC_CAS, ATOMIC_FLOAT };

/* The addresses of the lanes: all the same; or lane i's is that of lane k plus (i - k) times the width; or neither. */
enum mem_pattern { MEM_PATTERN_SCATTERED, MEM_PATTERN_SAME, MEM_PATTERN_CONSECUTIVE };

enum { MEM_WIDTH_MAX = 32, MEM_PIECES = 8, MEM_OPERAND_C = 16, WARP_LANES = LANES * MAX_HALVES };

struct mem_op {
    struct mem_op *next;             /* for its current owner */
    struct warp *warp;
    const struct dinst *d;
    uint64_t lanes;                  /* that execute it, without the lanes of .param words, which were served at once */
    uint64_t served_by[SERVERS];     /* the lanes of each server; together they are `lanes` */
    uint64_t on_host;                /* lanes of .param words */
    uint64_t combined;               /* atomics: the lanes for which the one in `lanes` performs; 0 = each for itself */
    uint64_t fragments;              /* ldmatrix: the lanes that execute it; `lanes` are those that give rows */
    uint64_t outside;                /* lanes whose illegal access check.memory tolerates; of `completes` they are in
                                      * `lanes`, at the address of the barrier object, otherwise in no other set */
    /* from the instruction, see mem_shape */
    uint8_t kind, path;              /* enum mem_op_kind, enum mem_path */
    uint8_t width;                   /* bytes a lane: elements x size */
    uint8_t size, count, reg_bytes;  /* bytes of an element, elements, bytes of the register of an element */
    bool sign;
    bool rows;                       /* ldmatrix, stmatrix: the lanes give rows of matrices of the warp */
    bool order_acquire, order_release;   /* .acquire, .release, .acq_rel */
    bool order_strong;               /* volatile, relaxed or stronger; atomics */
    uint8_t atomic_class;            /* enum atomic_class; of atomics */
    uint8_t stride;                  /* bytes from lane to lane in `data`: MEM_WIDTH_MAX, or the size of a
                                      * store's only element, so that the lanes' bytes are adjacent */
    uint8_t pattern;                 /* enum mem_pattern of the lanes */
    bool to_data;                    /* a load whose bytes go to `data`, not to registers; mem_pieces is 1 */
    bool to_shared;                  /* a load whose bytes go to shared memory: cp.async (async_copy.h); also to_data */
    union {                          /* of asynchronous copies, set and read by the SM */
        uint64_t copy_number;        /* to_shared: number and group (copies.c) */
        uint32_t bulk_group;         /* MOP_BULK: the group of its copies */
        uint64_t bulk_to;            /* MEM_ROLE_BULK: address to which the copy moves the part */
        struct { uint32_t at, bytes; } box_part;     /* the same of a tensor copy: place in the box, and size */
    };
    bool completes;                  /* a store or red that completes its bytes at barrier objects (mbarrier.h) */
    bool last_use;                   /* its line of private memory is dead after this read */
    bool no_data;                    /* a store that has the timing of one and writes nothing */
    bool noted;                      /* a load past L1 whose replies carry notes of L2, for op->note */
    uint8_t role;                    /* 0: an access of the program; else set and read by its owner */
    uint32_t attempt;                /* the transaction attempt of its accesses to shared memory; 0 = of none */
    uint64_t *profile;               /* the figures of its instruction (base/profile.h); NULL = not recorded */
    struct tex_fetch *fetch;         /* of tex and tld4: lent by the SM; NULL: of no fetch. Read if SERVE_TEXTURE */
    uint32_t reg[MEM_PIECES];        /* registers of a load's or atom's elements: byte offsets from half->regs */
    uint64_t address[WARP_LANES];    /* device address, in shared memory an offset, in local that of the first byte */
    _Alignas(64) uint8_t data[WARP_LANES][MEM_WIDTH_MAX];    /* stores: the bytes; atomics: operand b at 0, c at 16 */
    /* set by the memory pipeline */
    uint64_t issued;                 /* core cycle */
    uint64_t ready;                  /* core cycle at which the registers of its performed accesses are available */
    uint32_t pending;                /* accesses not performed yet */
    uint32_t remote;                 /* of these, messages to other blocks of the cluster */
    uint32_t sm_slot;                /* warp slot of the SM */
    uint64_t sequence;               /* number of memory instructions of the SM before it */
    void *owner;
    uint64_t (*note)[2];             /* by lane */
};

enum { MEM_ROLE_BULK = 254 };        /* op->role of a part of a bulk copy (timing/core/bulk_engine.c) */

/* Do later accesses, fences and barriers wait for it? They do not wait for prefetches, nor for asynchronous copies,
 * which the program itself waits for, or lets arrive at a barrier object (PTX ISA 8.9.1.1). */
static inline bool mem_is_waited_for(const struct mem_op *op)
{
    return op->kind != MOP_PREFETCH && op->kind != MOP_BULK && !op->to_shared && op->role != MEM_ROLE_BULK;
}

/* The fields of an op that depend on its instruction only, computed once, at decoding. */
struct mem_shape {
    uint8_t kind, path, width, size, count, reg_bytes;
    bool sign, rows, order_acquire, order_release, order_strong;
    uint8_t atomic_class, stride;
    ptx_fn *unwatched;               /* the function of its step; NULL: the program is not watched (watch.h) */
};
void mem_describe(struct mem_shape *s, const struct dinst *d);

/* Captures a memory step (called by warp_step). Checks bounds and alignment, so faults are precise. False: a fault. */
bool mem_capture(struct warp *w, const struct dinst *d, uint64_t lanes, struct mem_op *op);

/*
 * Combines the lanes of an integer atomic (combine_lanes.c): from now on it is an access of one lane. False: it is not
 * changed, because its lanes have several addresses, or several memories serve them.
 */
bool mem_combine_lanes(struct mem_op *op);
/* The one lane of an atomic with result has performed: writes the results of all lanes to their registers. */
void mem_combined_results(struct mem_op *op);

/*
 * A local access wider than a word is split into words of different lines: piece p of a lane is its bytes [4p, 4p + 4)
 * at address[lane] + 128 p. Any other access is one piece of `width` bytes.
 */
static inline unsigned mem_pieces(const struct mem_op *op, enum mem_server s)
{
    return s == SERVE_LOCAL && op->width > 4 ? op->width / 4u : 1;
}

static inline uint8_t *mem_data(struct mem_op *op, unsigned lane)
{
    return (uint8_t *)op->data + lane * op->stride;
}

/* Do the lanes, at least one, have the same address? */
static inline bool mem_at_one_address(const struct mem_op *op, uint64_t lanes)
{
    uint64_t first = op->address[__builtin_ctzll(lanes)];
    for (; lanes; lanes &= lanes - 1)
        if (op->address[__builtin_ctzll(lanes)] != first)
            return false;
    return true;
}

/* Those of the lanes that read or write: an illegal st.async or red.async only completes its bytes. */
static inline uint64_t mem_legal(const struct mem_op *op, uint64_t lanes)
{
    return op->completes ? lanes & ~op->outside : lanes;
}

/* The number of lanes, from *first on, if they are consecutive; else 0. There is at least one. */
static inline unsigned mem_run(uint64_t lanes, unsigned *first)
{
    *first = (unsigned)__builtin_ctzll(lanes);
    uint64_t m = lanes >> *first;
    return m & (m + 1) ? 0 : 64 - (unsigned)__builtin_clzll(m);
}

/*
 * Performs a load: writes the lanes' registers, extended as its type requires. line: the 128 bytes of the line with
 * this piece of these lanes, all of one server. The warp's current frame must be that of the issue.
 */
void mem_load_line(struct mem_op *op, uint64_t lanes, unsigned piece, const uint8_t *line);
/* The same with the bytes in op->data. */
void mem_load_data(struct mem_op *op, uint64_t lanes);
/* Copies the lanes' bytes of a store into a line and its byte mask; at one address the highest lane wins. */
void mem_store_line(const struct mem_op *op, uint64_t lanes, unsigned piece, uint8_t *line, uint64_t mask[2]);
/* Performs loads, stores and atomics of the lanes served by shared memory. */
void mem_perform_shared(struct mem_op *op);
void mem_atomic_shared(struct mem_op *op, uint64_t lanes);    /* its atomics */
/* Performs lanes served by SERVE_CLUSTER in the shared memory of block b; values that are read go to the op's data. The
 * SM of b calls it. Then the op's own SM writes the values to registers. */
void mem_cluster_perform(struct mem_op *op, uint64_t lanes, struct block *b);
void mem_cluster_reply(struct mem_op *op, uint64_t lanes);

/* ---- for reports: without checks, without effect ---- */
/* Is it an access to memory that other threads see? */
bool mem_seen_by_threads(const struct dinst *d);
/* The address of a lane's access, with the registers of the warp's current frame; generic for shared memory. */
uint64_t mem_lane_address(const struct warp *w, const struct dinst *d, int lane);

/* ---- global atomics: the request has the operands, the reply the old values ---- */
struct atom_payload {
    const struct dinst *d;
    uint32_t lanes[MAX_HALVES];      /* lanes of this line */
    uint8_t offset[WARP_LANES];      /* in the line */
    _Alignas(64) uint8_t b[WARP_LANES][16], c[WARP_LANES][16];   /* operands; b has the old values of the reply */
};
void mem_atomic_request(const struct mem_op *op, uint64_t lanes, struct atom_payload *a);
/* The bytes of the line that it accesses. */
void mem_atomic_mask(const struct atom_payload *a, uint64_t mask[2]);
/*
 * Performs it on device memory; line: device address (= host address). k: a worker whose bounds cache is used, not
 * parallel. Returns the largest number of lanes that access one word.
 */
uint32_t mem_atomic_perform(struct worker *k, uint64_t line, struct atom_payload *a);
/* Writes the old values to registers. */
void mem_atomic_reply(struct mem_op *op, uint64_t lanes, const struct atom_payload *a);

#endif
