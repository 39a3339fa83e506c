/* Device memory: a sorted array of allocations in one reserved range, allocated upwards with gaps between them. */
#include "ptx/memory/devmem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "ptx/memory/region_table.h"
#include "ptx/memory/unwritten.h"

#ifndef __SANITIZE_THREAD__
/* Away from where Linux puts programs, libraries and AddressSanitizer's shadow on x86-64. */
static const uint64_t RANGE_BASE = 0x200000000000ull;
static const uint64_t RANGE_STRIDE = 0x10000000000ull;
static const uint64_t RANGE_SIZES[] = { 0x10000000000ull, 0x1000000000ull, 0x200000000ull };
#else
/* ThreadSanitizer checks only where Linux puts programs. This is below the lowest position-independent executable. */
static const uint64_t RANGE_BASE = 0x550000000000ull;
static const uint64_t RANGE_STRIDE = 0x400000000ull;
static const uint64_t RANGE_SIZES[] = { 0x400000000ull };
#endif
static const uint64_t COMMIT_STEP = 64ull << 20;
/* Where packed allocations begin: 3 GiB, a whole number of turns of 256 bytes over 6, 8 or 12 channels. */
static const uint64_t PACKED_FROM = 3ull << 30;
enum { ALIGN = 256, GAP = 256, FREED_MAX = 4096 };

struct devmem {
    uint64_t base, size;         /* reserved */
    uint64_t committed;          /* bytes from base that are accessible */
    uint64_t next;               /* where the next allocation is tried */
    uint64_t next_packed;        /* the same for those of programs, without gaps; 0 = they are not packed */
    uint64_t used, capacity;
    uint64_t upper;              /* bytes at the end that allocations cannot use (devmem_upper) */
    bool wrapped;                /* addresses are being reused */
    bool hashing;                /* freed memory is added to freed_hash */
    uint32_t freed_hash;
    struct mem_range *ranges;    /* sorted by lo */
    size_t n, cap, freed;
    struct region_table regions;
    uint8_t *unwritten;          /* a map of the range (unwritten.h); NULL: not watched */
};

uint64_t devmem_least_range(void)
{
    return RANGE_SIZES[sizeof RANGE_SIZES / sizeof *RANGE_SIZES - 1];
}

struct devmem *devmem_new(int index, uint64_t capacity)
{
    struct devmem *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    void *p = MAP_FAILED;
    m->base = RANGE_BASE + RANGE_STRIDE * (uint64_t)index;
    for (size_t i = 0; i < sizeof RANGE_SIZES / sizeof *RANGE_SIZES && p == MAP_FAILED; i++) {
        m->size = RANGE_SIZES[i];
        p = mmap((void *)m->base, m->size, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (p == MAP_FAILED && errno == EEXIST)
            break;
    }
    if (p == MAP_FAILED) {
        free(m);
        return NULL;
    }
    m->capacity = capacity;
    m->next = m->base + ALIGN;
    return m;
}

void devmem_pack(struct devmem *m)
{
    m->next_packed = m->base + PACKED_FROM;
}

void devmem_free(struct devmem *m)
{
    if (!m)
        return;
    munmap((void *)m->base, m->size);
    if (m->unwritten)
        munmap(m->unwritten, m->size / 8);
    region_table_end(&m->regions);
    free(m->ranges);
    free(m);
}

/* Index of the last range with lo <= addr, or -1. */
static ptrdiff_t below_index(const struct devmem *m, uint64_t addr)
{
    size_t lo = 0, hi = m->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (m->ranges[mid].lo <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (ptrdiff_t)lo - 1;
}

static void drop_freed(struct devmem *m)
{
    size_t k = 0;
    for (size_t i = 0; i < m->n; i++)
        if (!m->ranges[i].freed)
            m->ranges[k++] = m->ranges[i];
    m->n = k;
    m->freed = 0;
}

static bool insert(struct devmem *m, struct mem_range r)
{
    if (m->n == m->cap) {
        size_t cap = m->cap ? m->cap * 2 : 64;
        struct mem_range *p = realloc(m->ranges, cap * sizeof *p);
        if (!p)
            return false;
        m->ranges = p;
        m->cap = cap;
    }
    size_t at = (size_t)(below_index(m, r.lo) + 1);
    memmove(m->ranges + at + 1, m->ranges + at, (m->n - at) * sizeof r);
    m->ranges[at] = r;
    m->n++;
    return true;
}

static bool commit(struct devmem *m, uint64_t end)
{
    if (end - m->base <= m->committed)
        return true;
    uint64_t want = (end - m->base + COMMIT_STEP - 1) / COMMIT_STEP * COMMIT_STEP;
    if (want > m->size - m->upper)
        want = m->size - m->upper;
    if (mprotect((void *)(m->base + m->committed), want - m->committed, PROT_READ | PROT_WRITE))
        return false;
    m->committed = want;
    return true;
}

/* The end of the range for allocations. */
static uint64_t limit_of(const struct devmem *m)
{
    return m->base + m->size - m->upper;
}

void *devmem_upper(struct devmem *m, uint64_t bytes)
{
    uint64_t want = (bytes + COMMIT_STEP - 1) / COMMIT_STEP * COMMIT_STEP;
    if (want <= m->upper)
        return (void *)(m->base + m->size - want);
    if (want > m->size - m->committed ||
        mprotect((void *)(m->base + m->size - want), want - m->upper, PROT_READ | PROT_WRITE))
        return NULL;
    m->upper = want;
    return (void *)(m->base + m->size - want);
}

struct region_table *devmem_regions(struct devmem *m)
{
    return &m->regions;
}

/* The map takes memory where allocations are marked. */
void devmem_watch(struct devmem *m)
{
    void *p = mmap(NULL, m->size / 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        mem_failed(m->size / 8, "the map of unwritten device memory");
    m->unwritten = p;
}

static bool in_map(const struct devmem *m, uint64_t address, uint64_t bytes)
{
    return m->unwritten && address >= m->base && address - m->base <= m->size && bytes <= m->size - (address - m->base);
}

void devmem_mark(struct devmem *m, uint64_t address, uint64_t bytes, bool unwritten)
{
    if (in_map(m, address, bytes))
        unwritten_set(m->unwritten, address - m->base, bytes, unwritten);
}

bool devmem_is_unwritten(const struct devmem *m, uint64_t address, uint64_t bytes)
{
    return in_map(m, address, bytes) && unwritten_any(m->unwritten, address - m->base, bytes);
}

uint64_t devmem_base(const struct devmem *m)
{
    return m->base;
}

/* When the range has been exhausted once: the first gap between live allocations that is large enough. */
static uint64_t find_gap(struct devmem *m, size_t bytes, size_t align)
{
    drop_freed(m);
    uint64_t at = m->base + ALIGN;
    for (size_t i = 0; i <= m->n; i++) {
        uint64_t start = (at + align - 1) & ~(uint64_t)(align - 1);
        uint64_t limit = i < m->n && m->ranges[i].lo < limit_of(m) ? m->ranges[i].lo : limit_of(m);
        if (start + bytes + GAP <= limit)
            return start;
        if (i < m->n && m->ranges[i].hi > at)
            at = m->ranges[i].hi + GAP;
    }
    return 0;
}

/*
 * The address after the allocations so far, 0 when there is no room. Packed allocations follow each other without gaps;
 * those that are not a program's own lie below them, so that they do not move them.
 */
static uint64_t next_address(struct devmem *m, size_t bytes, size_t align, enum mem_kind kind)
{
    bool packed = m->next_packed && kind <= MEM_MANAGED;
    uint64_t *next = packed ? &m->next_packed : &m->next;
    uint64_t limit = m->next_packed && !packed ? m->base + PACKED_FROM : limit_of(m);
    uint64_t lo = (*next + align - 1) & ~(uint64_t)(align - 1), end = lo + bytes + (packed ? 0 : GAP);
    if (m->wrapped || end > limit)
        return 0;
    *next = end;
    return lo;
}

void *devmem_alloc(struct devmem *m, size_t bytes, size_t align, enum mem_kind kind, const char *name)
{
    if (!bytes)
        bytes = 1;
    if (align < ALIGN)
        align = ALIGN;
    if (bytes > m->capacity - m->used || align > COMMIT_STEP)
        return NULL;
    uint64_t lo = next_address(m, bytes, align, kind);
    if (!lo) {
        lo = find_gap(m, bytes, align);
        m->wrapped = true;
    }
    if (!lo || !commit(m, lo + bytes) ||
        !insert(m, (struct mem_range){ lo, lo + bytes, name, (uint8_t)kind, false }))
        return NULL;
    if (m->wrapped)
        memset((void *)lo, 0, bytes);
    m->used += bytes;
    return (void *)lo;
}

static ptrdiff_t live_at(const struct devmem *m, const void *p)
{
    ptrdiff_t i = below_index(m, (uint64_t)p);
    return i >= 0 && m->ranges[i].lo == (uint64_t)p && !m->ranges[i].freed ? i : -1;
}

static uint32_t hash_range(uint32_t hash, const struct mem_range *r)
{
    return (uint32_t)crc32_z(hash, (const void *)r->lo, r->hi - r->lo);
}

uint32_t devmem_hash(const struct devmem *m)
{
    static const bool counts[] = { [MEM_DEVICE] = true, [MEM_HOST] = true, [MEM_MANAGED] = true, [MEM_VARIABLE] = true,
                                   [MEM_CONSTANT] = false, [MEM_HEAP] = true, [MEM_EXTERNAL] = false,
                                   [MEM_PARAMETERS] = false };
    uint32_t hash = m->freed_hash;
    for (size_t i = 0; i < m->n; i++)
        if (!m->ranges[i].freed && counts[m->ranges[i].kind])
            hash = hash_range(hash, &m->ranges[i]);
    return hash;
}

void devmem_hash_freed(struct devmem *m)
{
    m->hashing = true;
}

uint32_t devmem_freed_hash(const struct devmem *m)
{
    return m->freed_hash;
}

void devmem_set_freed_hash(struct devmem *m, uint32_t hash)
{
    m->freed_hash = hash;
}

const struct mem_range *devmem_at(const struct devmem *m, size_t i)
{
    return i < m->n ? &m->ranges[i] : NULL;
}

struct pages { uint64_t lo, hi; };

/* The whole pages in [lo, hi); lo >= hi when there are none. */
static struct pages pages_within(uint64_t lo, uint64_t hi)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (struct pages){ (lo + page - 1) & ~(page - 1), hi & ~(page - 1) };
}

void devmem_fill(struct devmem *m, void *p, int value, size_t bytes)
{
    enum { WORTH = 1 << 20 };                /* bytes from which a system call is faster than writing */
    uint64_t lo = (uint64_t)p, hi = lo + bytes;
    struct pages inner = pages_within(lo, hi);
    if ((unsigned char)value || bytes < WORTH || !devmem_in_range(m, lo) ||
        madvise((void *)inner.lo, inner.hi - inner.lo, MADV_DONTNEED)) {
        memset(p, value, bytes);
        return;
    }
    memset(p, 0, inner.lo - lo);
    memset((void *)inner.hi, 0, hi - inner.hi);
}

bool devmem_release(struct devmem *m, void *p)
{
    ptrdiff_t i = live_at(m, p);
    if (i < 0 || m->ranges[i].kind == MEM_EXTERNAL)
        return false;
    struct mem_range *r = &m->ranges[i];
    if (m->hashing && r->kind != MEM_HEAP)
        m->freed_hash = hash_range(m->freed_hash, r);
    struct pages inner = pages_within(r->lo, r->hi);
    if (inner.lo < inner.hi)
        madvise((void *)inner.lo, inner.hi - inner.lo, MADV_DONTNEED);
    region_remove_within(&m->regions, r->lo, r->hi);
    devmem_mark(m, r->lo, r->hi - r->lo, false);
    m->used -= r->hi - r->lo;
    r->freed = true;
    r->name = NULL;
    if (++m->freed > FREED_MAX + m->n / 2)
        drop_freed(m);
    return true;
}

bool devmem_register(struct devmem *m, void *p, size_t bytes)
{
    uint64_t lo = (uint64_t)p, hi = lo + bytes;
    const struct mem_range *below, *above;
    devmem_around(m, lo, &below, &above);
    if (!bytes || hi < lo || hi >> WINDOW_BITS || devmem_in_range(m, lo) ||
        (below && !below->freed && below->hi > lo) || (above && !above->freed && above->lo < hi))
        return false;
    return insert(m, (struct mem_range){ lo, hi, NULL, MEM_EXTERNAL, false });
}

bool devmem_unregister(struct devmem *m, void *p)
{
    ptrdiff_t i = live_at(m, p);
    if (i < 0 || m->ranges[i].kind != MEM_EXTERNAL)
        return false;
    memmove(m->ranges + i, m->ranges + i + 1, (m->n - (size_t)i - 1) * sizeof *m->ranges);
    m->n--;
    return true;
}

const struct mem_range *devmem_find(const struct devmem *m, uint64_t addr)
{
    ptrdiff_t i = below_index(m, addr);
    return i >= 0 && addr < m->ranges[i].hi && !m->ranges[i].freed ? &m->ranges[i] : NULL;
}

void devmem_around(const struct devmem *m, uint64_t addr, const struct mem_range **below,
                   const struct mem_range **above)
{
    ptrdiff_t i = below_index(m, addr);
    *below = i >= 0 ? &m->ranges[i] : NULL;
    *above = (size_t)(i + 1) < m->n ? &m->ranges[i + 1] : NULL;
}

bool devmem_in_range(const struct devmem *m, uint64_t addr)
{
    return addr - m->base < m->size;
}

bool devmem_has(const struct devmem *m, uint64_t addr)
{
    uint64_t at = addr - m->base;
    return at < m->committed || (at < m->size && at >= m->size - m->upper);
}

uint64_t devmem_used(const struct devmem *m)
{
    return m->used;
}

uint64_t devmem_capacity(const struct devmem *m)
{
    return m->capacity;
}
