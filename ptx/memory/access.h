/*
 * A warp's memory instruction between issue and performance. At issue the addresses and the data of every lane are
 * captured, so that later instructions may overwrite the registers; when the place that serves an access performs it,
 * bytes go between a line and the lanes' registers here. Nothing in this file knows caches or time.
 *
 * Private memory in timing mode: .local variables live in device memory (half->local_device, a multiple of 128, set
 * before block_start), interleaved by word over the lanes as in code.h, and are accessed like global memory; .param
 * variables of calls (ABI registers on hardware) stay on the host side (half->local) and are read and written at
 * issue. Which words of a lane's private memory are .param is marked when a frame is pushed (half->param_lanes).
 * Functions of the host read .local variables through worker->private_line; the caches must have taken the warp's
 * stores before such a call.
 */
#ifndef PTX_ACCESS_H
#define PTX_ACCESS_H

#include "ptx/exec/exec.h"

/* Who serves it. Generic addresses are sorted lane by lane; one instruction may need several. */
enum mem_server { SERVE_GLOBAL, SERVE_SHARED, SERVE_LOCAL, SERVE_CONST, SERVE_TEXTURE, SERVERS };
/* Which caches may serve it (PTX ISA 9.7.9.1): PATH_L2 for .cg, .cv, .wt, volatile, relaxed and stronger, atomics. */
enum mem_path { PATH_CACHED, PATH_L2 };

/* Kinds of atomics that take as long: integer add and the like, exchange, compare-and-swap, floating point. */
enum atomic_class { ATOMIC_INTEGER, ATOMIC_EXCH, ATOMIC_CAS, ATOMIC_FLOAT };

/* How the addresses of the lanes lie: lane i's is that of lane k, or that and (i - k) times the width. */
enum mem_pattern { LANES_ANYWHERE, LANES_SAME, LANES_IN_ROW };

enum { MEM_WIDTH_MAX = 32, MEM_PIECES = 8, MEM_OPERAND_C = 16, WARP_LANES = LANES * MAX_HALVES };

struct mem_op {
    struct mem_op *next;             /* for whoever owns it now */
    struct warp *warp;
    const struct dinst *d;
    uint64_t lanes;                  /* that execute it; lanes of .param words were served at once and are not in it */
    uint64_t served_by[SERVERS];     /* the lanes of each server; they add up to `lanes` */
    uint64_t on_host;                /* lanes of .param words */
    /* what the instruction says, see mem_shape */
    uint8_t kind, path;              /* enum mem_op_kind, enum mem_path */
    uint8_t width;                   /* bytes a lane: elements x size */
    uint8_t size, count, reg_bytes;  /* bytes of an element, elements, bytes of the register of an element */
    bool sign;
    bool order_acquire, order_release;   /* .acquire, .release, .acq_rel */
    bool order_strong;               /* volatile, relaxed or stronger; atomics */
    uint8_t atomic_class;            /* enum atomic_class; of atomics */
    uint8_t stride;                  /* bytes of `data` from lane to lane: MEM_WIDTH_MAX; single elements: their size */
    uint8_t pattern;                 /* enum mem_pattern of the lanes */
    bool to_data;                    /* a load's bytes go to `data`, not to registers; accesses are one piece */
    bool last_use;                   /* its line of private memory is not needed any more once it has been read */
    bool hollow;                     /* a store goes its way without bytes */
    uint8_t role;                    /* whose it is: 0 the program's, else the owner's own */
    uint32_t attempt;                /* of the transaction that its lanes of shared memory are part of; 0 = of none */
    uint32_t reg[MEM_PIECES];        /* registers of a load's or atom's elements: byte offsets from half->regs */
    uint64_t address[WARP_LANES];    /* device address, in shared memory an offset, in local that of the first byte */
    _Alignas(64) uint8_t data[WARP_LANES][MEM_WIDTH_MAX];    /* stores: the bytes; atomics: operand b at 0, c at 16 */
    /* the memory pipeline's own */
    uint64_t issued;                 /* core cycle */
    uint64_t ready;                  /* core cycle at which the registers of its performed accesses are there */
    uint32_t pending;                /* accesses not performed yet */
    uint32_t sm_slot;                /* warp slot of the SM */
    void *owner;
};

/* The part of an op that its instruction decides, found out once, at decoding. */
struct mem_shape {
    uint8_t kind, path, width, size, count, reg_bytes;
    bool sign, order_acquire, order_release, order_strong;
    uint8_t atomic_class, stride;
};
void mem_describe(struct mem_shape *s, const struct dinst *d);

/* Captures a memory step (called by warp_step). Bounds and alignment are checked: faults are precise. False: raised. */
bool mem_capture(struct warp *w, const struct dinst *d, uint64_t lanes, struct mem_op *op);

/*
 * Local accesses wider than a word fall apart into words of different lines: piece p of a lane is its bytes [4p, 4p +
 * 4) at address[lane] + 128 p. All others are one piece of `width` bytes.
 */
static inline unsigned mem_pieces(const struct mem_op *op, enum mem_server s)
{
    return s == SERVE_LOCAL && op->width > 4 ? op->width / 4u : 1;
}

static inline uint8_t *mem_data(struct mem_op *op, unsigned lane)
{
    return (uint8_t *)op->data + lane * op->stride;
}

/* Lanes without a gap, at least one: how many, from *first on. 0: there are gaps. */
static inline unsigned mem_run(uint64_t lanes, unsigned *first)
{
    *first = (unsigned)__builtin_ctzll(lanes);
    uint64_t m = lanes >> *first;
    return m & (m + 1) ? 0 : 64 - (unsigned)__builtin_clzll(m);
}

/*
 * line: the 128 bytes of the line that holds this piece of these lanes, all of one server. Loads write the lanes'
 * registers, extended as the type says; the frame that the warp had at issue must still be its current one.
 */
void mem_load_line(struct mem_op *op, uint64_t lanes, unsigned piece, const uint8_t *line);
/* Registers of a load's lanes from op->data, as if their lines had brought these bytes. */
void mem_load_data(struct mem_op *op, uint64_t lanes);
/* Stores put the lanes' bytes into a line image and set its byte mask; lanes ascending, the last one wins. */
void mem_store_line(const struct mem_op *op, uint64_t lanes, unsigned piece, uint8_t *line, uint64_t mask[2]);
/* Shared memory: loads, stores and atomics of the lanes served by it, on the block's memory, now. */
void mem_perform_shared(struct mem_op *op);
void mem_atomic_shared(struct mem_op *op, uint64_t lanes);    /* the part of it that does atomics */

/* ---- for reports: nothing is checked, nothing changes ---- */
/* Is it an access to memory that other threads see? */
bool mem_among_threads(const struct dinst *d);
/* The address at which a lane would make it now, in the warp's current frame; a generic one for shared memory. */
uint64_t mem_lane_address(const struct warp *w, const struct dinst *d, int lane);

/* ---- global atomics: operands travel to where they are performed, old values travel back ---- */
struct atom_payload {
    const struct dinst *d;
    uint32_t lanes[MAX_HALVES];      /* lanes of this line */
    uint8_t offset[WARP_LANES];      /* in the line */
    _Alignas(64) uint8_t b[WARP_LANES][16], c[WARP_LANES][16];   /* operands; old values come back in b */
};
void mem_atomic_request(const struct mem_op *op, uint64_t lanes, struct atom_payload *a);
/*
 * Performs it on device memory; line: device address (= host address). k: a worker of whoever performs, not parallel;
 * of it only the bounds cache is used. Returns the largest number of lanes that met at one word.
 */
uint32_t mem_atomic_perform(struct worker *k, uint64_t line, struct atom_payload *a);
/* Old values into registers. */
void mem_atomic_reply(struct mem_op *op, uint64_t lanes, const struct atom_payload *a);

#endif
