/*
 * Selects the memory function of an instruction, sorts the lanes of generic accesses, and finds the host address of one
 * lane's access (for atomics and built-in functions).
 */
#include <string.h>

#include "ptx/exec/cluster.h"
#include "ptx/isa/ops_check.h"
#include "ptx/memory/mem_table.h"

static const struct mem_row *const tables[ISA_COUNT] = {
    mem_table_base,
#if defined(__x86_64__)
    mem_table_avx2, mem_table_avx512,
#endif
};

static ptx_fn *const (*const indexed[ISA_COUNT])[2] = {
    mem_indexed_base,
#if defined(__x86_64__)
    mem_indexed_avx2, mem_indexed_avx512,
#endif
};

mem_addresses_fn *const mem_addresses[ISA_COUNT] = {
    mem_addresses_base,
#if defined(__x86_64__)
    mem_addresses_avx2, mem_addresses_avx512,
#endif
};

mem_inside_fn *const mem_inside[ISA_COUNT] = {
    mem_inside_base,
#if defined(__x86_64__)
    mem_inside_avx2, mem_inside_avx512,
#endif
};

static enum mem_place place_of(uint8_t space)
{
    switch (space) {
    case SP_SHARED: return MEM_SHARED;
    case SP_PARAM: return MEM_PARAM;
    case SP_LOCAL:
    case SP_REG: return MEM_PRIVATE;
    default: return MEM_GLOBAL;
    }
}

static ptx_fn *look_up(enum lanes_isa isa, const struct dinst *d, bool store, bool sign)
{
    for (const struct mem_row *r = tables[isa]; r->mem_bytes; r++)
        if (r->mem_bytes == d->size && r->reg_bytes == d->target && r->store == store &&
            (store || r->sign == sign || r->mem_bytes == r->reg_bytes))
            return r->fn[place_of(d->space)];
    return NULL;
}

static bool is_store(const struct dinst *d)
{
    return ptx_mem_kind(d->in->op) == MOP_STORE;
}

static bool sign_extends(const struct ptx_inst *in)
{
    return ptx_type_class((enum ptx_type)in->type[0]) == 's';
}

/* Executes the lanes whose addresses are in one window, with its space's function and addresses relative to it. */
static int run_window(struct lanes *x, const struct dinst *d, uint64_t window, uint8_t space, uint32_t lanes)
{
    struct dinst t = *d;
    uint32_t all = x->mask;
    t.space = space;
    t.imm = (int64_t)((uint64_t)d->imm - window);
    ptx_fn *fn = look_up(half_of(x)->worker->launch->program->isa, &t, is_store(d), sign_extends(d->in));
    x->mask = lanes;
    int r = fn(x, &t);
    x->mask = all;
    return r;
}

static int run_generic(struct lanes *x, const struct dinst *d)
{
    const uint64_t *a = lanes_at(x, d->src[0]);
    uint32_t shared = 0, local = 0;
    uint64_t any = 0;
    for (int i = 0; i < LANES; i++)
        any |= (a[i] + (uint64_t)d->imm) & (0 - (uint64_t)(x->mask >> i & 1));
    if (__builtin_expect(!(any >> WINDOW_BITS), 1))
        return d->rounded(x, d);
    for (int i = 0; i < LANES; i++) {
        uint64_t w = (a[i] + (uint64_t)d->imm) >> WINDOW_BITS;
        shared |= (uint32_t)(w == WINDOW_SHARED >> WINDOW_BITS) << i;
        local |= (uint32_t)(w == WINDOW_LOCAL >> WINDOW_BITS) << i;
    }
    shared &= x->mask;
    local &= x->mask;
    uint32_t rest = x->mask & ~(shared | local);
    int r = CONTROL_NEXT;
    if (rest)
        r = run_window(x, d, 0, SP_GLOBAL, rest);
    if (!r && shared)
        r = run_window(x, d, WINDOW_SHARED, SP_SHARED, shared);
    if (!r && local)
        r = run_window(x, d, WINDOW_LOCAL, SP_LOCAL, local);
    return r;
}

ptx_fn *mem_select(enum lanes_isa isa, const struct ptx_inst *in, struct dinst *d)
{
    /* stores have bounds cache entries of their own: the range that a load accessed may be read-only */
    d->id = (uint16_t)(d->id % (BOUNDS_CACHE / 2) + (is_store(d) ? BOUNDS_CACHE / 2 : 0));
    ptx_fn *fn = look_up(isa, d, is_store(d), sign_extends(in));
    if (d->space != SP_GENERIC || !fn || d->addr_size != 8)
        return fn;
    d->rounded = fn;
    return run_generic;
}

/* A load of one element of global memory by 64-bit addresses, as wide as its register. */
static bool loads_element(const struct dinst *d)
{
    return d->in->op == OP_LD && d->space == SP_GLOBAL && d->addr_size == 8 && d->vec == 1 && d->size == d->target;
}

ptx_fn *mem_indexed(enum lanes_isa isa, const struct dinst *d)
{
    const struct dinst *scaled = &d[1], *sum = &d[2], *load = &d[3];
    bool of_index = scaled->src[0] == *(const operand *)d->extra &&
                    scaled->src[1] >> OPERAND_BITS == OPERAND_CONST >> OPERAND_BITS;
    if (!of_index || !loads_element(d) || d->size != 4 || !loads_element(load) || load->src[0] != sum->dst ||
        load->size < 4)
        return NULL;
    return indexed[isa][scaled->in->type[0] == T_S32][load->size == 8];
}

/* ---- accesses outside ---- */

static bool is_inside(uint64_t a, unsigned width, uint64_t lo, uint64_t hi)
{
    return a >= lo && a <= hi && width <= hi - a;
}

/* Is a lane's access legal? */
static bool is_legal(const struct half *h, const struct dinst *d, uint64_t a, unsigned width, bool write)
{
    const struct launch *la = h->worker->launch;
    const struct mem_range *m;
    if (a & (width - 1))
        return false;
    switch (d->space) {
    case SP_SHARED: return is_inside(a, width, 0, h->warp->block->shared_bytes);
    case SP_PARAM: return !write && is_inside(a, width, 0, la->param_bytes);
    case SP_LOCAL:
    case SP_REG: return is_inside(a, width, 0, h->warp->local_cap);
    default:
        m = devmem_find(la->mem, a);
        return m && is_inside(a, width, m->lo, m->hi) && !(write && !launch_may_write(la, m));
    }
}

static void clear_register(struct lanes *x, operand o, unsigned bytes, uint32_t lanes)
{
    for (uint32_t m = lanes; m; m &= m - 1)
        memset((char *)lanes_at(x, o) + (unsigned)__builtin_ctz(m) * bytes, 0, bytes);
}

/* A 128-bit result of an atomic is two registers of 64 bits. */
static void clear_atomic(struct lanes *x, const struct dinst *d, uint32_t lanes)
{
    const struct atom_vector *v = d->in->mod[PG_VEC] ? d->extra : NULL;
    if (ptx_is_mbarrier_test((enum ptx_op)d->in->op)) {
        *(uint32_t *)lanes_at(x, d->dst) &= ~lanes;
        return;
    }
    for (unsigned e = 0; v && v->result && e < d->vec; e++)
        clear_register(x, v->result[e], d->size, lanes);
    if (!v)
        clear_register(x, d->dst, d->size == 16 ? 8 : d->size, lanes);
    if (!v && d->size == 16)
        clear_register(x, d->dst + LANES * 8, 8, lanes);
}

void mem_clear_results(struct lanes *x, const struct dinst *d, uint32_t lanes)
{
    const operand *to = d->extra;
    switch (ptx_mem_kind((enum ptx_op)d->in->op)) {
    case MOP_LOAD:
        for (unsigned e = 0; e < d->vec; e++)
            clear_register(x, to[e], d->target, lanes);
        break;
    case MOP_ATOM: clear_atomic(x, d, lanes); break;
    default: break;
    }
}

/* Executes the access again for these lanes, with addresses of 4 or 8 bytes that have been computed. */
static int run_at(struct lanes *x, const struct dinst *d, const void *address, uint8_t bytes, uint32_t lanes,
                  ptx_fn *again)
{
    uint32_t all = x->mask;
    struct dinst t = *d;
    t.src[0] = OPERAND_WRAPPED;
    t.addr_size = bytes;
    t.imm = 0;
    x->base[3] = (char *)(uintptr_t)address;
    x->mask = lanes;
    int r = again(x, &t);
    x->mask = all;
    return r;
}

/* ---- shared memory of other blocks of the cluster ---- */

/* The block with the shared memory of a lane's access, if that is legal. */
static struct block *remote_block(const struct half *h, const struct dinst *d, uint64_t a, unsigned width)
{
    struct block *own = h->warp->block;
    if (d->space != SP_SHARED || !cluster_part(a) || a >> 32 || a & (width - 1) || !cluster_reaches(d) ||
        !is_inside(a & CLUSTER_OFFSET_MASK, width, 0, own->shared_bytes))
        return NULL;
    return cluster_block(own, cluster_rank(own, a));
}

/* Executes the access again in each block that some of these lanes access, as if it were theirs. */
static int run_remote(struct lanes *x, const struct dinst *d, const uint64_t *address, int lane, uint32_t lanes,
                      unsigned width, ptx_fn *again)
{
    struct warp *w = half_of(x)->warp;
    struct block *own = w->block;
    _Alignas(64) uint64_t offset[LANES] = { 0 };
    int r = CONTROL_NEXT;
    while (lanes && !r) {
        uint32_t same = 0;
        struct block *b = NULL;
        for (uint32_t m = lanes; m; m &= m - 1) {
            int i = __builtin_ctz(m);
            uint64_t a = address[d->addr_size ? i : lane];
            struct block *at = remote_block(half_of(x), d, a, width);
            offset[i] = a & CLUSTER_OFFSET_MASK;
            b = b ? b : at;
            same |= at == b ? m & -m : 0;
        }
        lanes &= ~same;
        w->block = b;
        r = run_at(x, d, offset, sizeof *offset, same, again);
        w->block = own;
    }
    return r;
}

/* Lanes outside read 0 or write nothing if check.memory tolerates it; the others execute the access again. */
static int run_inside(struct lanes *x, const struct dinst *d, const uint64_t *address, int lane, unsigned width,
                      bool write, ptx_fn *again)
{
    struct half *h = half_of(x);
    uint32_t outside = 0, remote = 0;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        uint64_t a = address[d->addr_size ? i : lane];
        if (is_legal(h, d, a, width, write))
            continue;
        if (remote_block(h, d, a, width)) {
            remote |= m & -m;
            continue;
        }
        if (fault_memory(h, d, i, a, width, write))
            return CONTROL_FAULT;
        outside |= m & -m;
    }
    uint32_t inside = x->mask & ~(outside | remote);
    int r = inside ? run_at(x, d, address, sizeof *address, inside, again) : CONTROL_NEXT;
    if (!r && remote)
        r = run_remote(x, d, address, lane, remote, width, again);
    mem_clear_results(x, d, outside);
    return r;
}

bool mem_wraps(const struct dinst *d)
{
    return (d->space == SP_SHARED || d->space == SP_LOCAL) && ptx_inst_space(d->in) != SP_GENERIC;
}

/* An access that wraps is executed again with the low bits of its addresses. */
int mem_outside(struct lanes *x, const struct dinst *d, const uint64_t *address, int lane, unsigned width, bool write,
                ptx_fn *again)
{
    _Alignas(64) uint32_t wrapped[LANES];
    uint64_t high = 0;
    for (uint32_t m = d->addr_size ? x->mask : 0; m; m &= m - 1)
        high |= address[__builtin_ctz(m)] >> 32;
    if (!high || !mem_wraps(d))
        return run_inside(x, d, address, lane, width, write, again);
    for (uint32_t m = x->mask; m; m &= m - 1)
        wrapped[__builtin_ctz(m)] = (uint32_t)address[__builtin_ctz(m)];
    return run_at(x, d, wrapped, sizeof *wrapped, x->mask, again);
}

/* One lane's word of private memory: in timing mode .local variables are in device memory, or newer in a cache. */
static char *private_word(struct half *h, uint32_t byte, int lane)
{
    const struct worker *k = h->worker;
    if (!h->local_device || h->param_lanes[byte / 4] >> lane & 1)
        return (char *)local_word(h->local, byte, lane);
    uint64_t line = h->local_device + (uint64_t)(byte / 4) * LANES * 4;
    const uint8_t *there = k->private_line ? k->private_line(k->private_ctx, line) : NULL;
    return (char *)(uintptr_t)(there ? there : (const uint8_t *)(uintptr_t)line) + 4 * lane;
}

char *mem_resolve_shared(struct half *h, const struct dinst *d, uint64_t address, int lane, unsigned bytes)
{
    uint64_t window = cluster_reaches(d) ? WINDOW_SHARED : 0;
    return mem_resolve(h, window ? SP_GENERIC : SP_SHARED, window | (uint32_t)address, lane, bytes, true);
}

char *mem_resolve(struct half *h, enum ptx_space space, uint64_t address, int lane, unsigned bytes, bool write)
{
    struct block *b = h->warp->block;
    if (space == SP_GENERIC && address >> WINDOW_BITS) {
        space = address >> WINDOW_BITS == WINDOW_SHARED >> WINDOW_BITS ? SP_SHARED
                : address >> WINDOW_BITS == WINDOW_LOCAL >> WINDOW_BITS ? SP_LOCAL
                                                                        : SP_TEX;
        address &= (1ull << WINDOW_BITS) - 1;
        if (address >> 32)
            return NULL;
        if (space == SP_SHARED && cluster_part(address)) {
            b = cluster_block(b, cluster_rank(b, address));
            address &= CLUSTER_OFFSET_MASK;
            if (!b)
                return NULL;
        }
    }
    if (space == SP_TEX)
        return NULL;
    if (space == SP_SHARED || space == SP_LOCAL)
        address = (uint32_t)address;     /* see mem_wraps */
    if (space == SP_SHARED)
        return address < b->shared_bytes && address + bytes <= b->shared_bytes ? b->shared + address : NULL;
    if (space == SP_LOCAL) {
        bool inside = address < h->warp->local_cap && address + bytes <= h->warp->local_cap;
        return inside && bytes <= 4 - (address & 3) ? private_word(h, (uint32_t)address, lane) + (address & 3) : NULL;
    }
    address = launch_parameter(b->launch, address);
    const struct mem_range *m = devmem_find(b->launch->mem, address);
    if (!m || address + bytes > m->hi || (write && !launch_may_write(b->launch, m)))
        return NULL;
    return (char *)(uintptr_t)address;
}
