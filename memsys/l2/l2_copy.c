/*
 * Versioned memory at a slice (memsys/versions/vmem.h): copies of its rows from slot to slot, and plain accesses of
 * versioned lines.
 *
 * A copy treats each bank of the slice alone. Of a bank it takes one row at a time, or, with dram.clone_parallel =
 * subarray, one of every subarray:
 *
 *   DROP    wait until L2 uses no line of the target row and no second access of a store to the row is outstanding;
 *           drop the lines
 *   CLEAN   hold stores to the row; write the source's dirty lines back; wait until DRAM has them, and until no
 *           write-back to the target is left
 *   CLONE   the command; when it completes, the bytes move and the stores go on
 *
 * DROP waits for fills, which may perform held stores of other rows, so no row is held then. CLEAN and CLONE wait for
 * nothing but DRAM.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/l2/l2.h"

enum phase { PHASE_IDLE, PHASE_DROP, PHASE_CLEAN, PHASE_CLONE };

struct copy_bank {
    enum phase phase;
    struct version_row *rows, **tail;        /* not begun yet, in ascending order */
    struct version_row *group;               /* that one command copies */
};

struct l2_copier {
    uint32_t from, to, left;                 /* left: rows not copied */
    uint64_t counted_to;                     /* first L2 cycle that VERSION_CYCLES does not have */
    uint32_t nbanks;
    struct copy_bank bank[];
};

void l2_copier_init(struct l2_slice *s)
{
    uint32_t banks = s->part->cfg.dram.banks;
    if (!s->part->cfg.versions)
        return;
    s->copier = mem_zero(1, sizeof *s->copier + banks * sizeof *s->copier->bank, "the row copies of an L2 slice");
    s->copier->nbanks = banks;
}

static uint64_t mapped(const struct l2_slice *s, const struct version_row *r, uint32_t slot)
{
    return layout_map(vmem_layout(s->part->cfg.versions), r->address, slot);
}

/* ---- begin ---- */

static void moved(struct l2_slice *s, struct version_row *r, uint32_t from, uint32_t to)
{
    vmem_move(s->part->cfg.versions, r, from, to);
    r->copied = true;
    s->part->count[STAT_VERSION_COPIES]++;
    s->part->count[STAT_VERSION_BYTES] += vmem_row_bytes(s->part->cfg.versions);
}

static void add(struct l2_slice *s, struct version_row *r)
{
    struct l2_copier *k = s->copier;
    struct copy_bank *b = &k->bank[r->bank];
    bool all = vmem_policy(s->part->cfg.versions) == VMEM_ALL;
    r->copied = !all && !vmem_stale(r, k->from, k->to);
    r->next = NULL;
    if (r->copied) {
        s->part->count[STAT_VERSION_SKIPPED]++;
        return;
    }
    *b->tail = r;
    b->tail = &r->next;
    k->left++;
}

void l2_copy_begin(struct l2_slice *s, uint32_t from, uint32_t to, uint64_t now)
{
    struct l2_copier *k = s->copier;
    uint32_t n;
    struct version_row *const *rows = vmem_rows(s->part->cfg.versions, s->part->cfg.channel, &n);
    assert(!s->copying && from != to);
    s->copying = true;
    k->from = from;
    k->to = to;
    k->left = 0;
    k->counted_to = now;
    vmem_copy_begins(s->part->cfg.versions, s->id, to);
    for (uint32_t b = 0; b < k->nbanks; b++)
        k->bank[b].tail = &k->bank[b].rows;
    for (uint32_t i = 0; i < n; i++)
        if (rows[i]->bank % s->part->cfg.slices == s->number)
            add(s, rows[i]);
    l2_wake(s, now + 1);
}

/* For protocols that model a copy without cost. Lines of the target in L2 stay: their bytes are those of the row. */
void l2_copy_at_once(struct l2_slice *s, uint32_t from, uint32_t to)
{
    struct vmem *v = s->part->cfg.versions;
    uint32_t n;
    struct version_row *const *rows = vmem_rows(v, s->part->cfg.channel, &n);
    vmem_copy_begins(v, s->id, to);
    for (uint32_t i = 0; i < n; i++)
        if (rows[i]->bank % s->part->cfg.slices == s->number)
            moved(s, rows[i], from, to);
}

/* ---- a bank ---- */

static bool in_group(const struct layout *l, const struct copy_bank *b, const struct version_row *r)
{
    for (const struct version_row *g = b->group; g; g = g->next)
        if (layout_same_subarray(l, g->row, r->row))
            return true;
    return false;
}

/* Moves the next row, or the next one of every subarray, from the bank's list to the group. */
static void take_group(const struct l2_slice *s, struct copy_bank *b)
{
    const struct layout *l = vmem_layout(s->part->cfg.versions);
    bool one = s->part->cfg.dram.clone_parallel == DRAM_CLONE_BANK;
    for (struct version_row **at = &b->rows; *at && !(one && b->group);) {
        struct version_row *r = *at;
        if (in_group(l, b, r)) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        r->next = b->group;
        b->group = r;
    }
    b->phase = b->group ? PHASE_DROP : PHASE_IDLE;
}

static bool drop_group(struct l2_slice *s, const struct copy_bank *b)
{
    bool dropped = true;
    for (const struct version_row *r = b->group; r; r = r->next)
        dropped &= !r->patches && partition_row_drop(s->part, mapped(s, r, s->copier->to));
    return dropped;
}

static bool clean_group(struct l2_slice *s, const struct copy_bank *b, uint64_t now)
{
    bool clean = true;
    for (const struct version_row *r = b->group; r; r = r->next) {
        uint64_t from = mapped(s, r, s->copier->from);
        s->part->count[STAT_VERSION_WRITEBACKS] += partition_row_dirty(s->part, from);
        clean &= partition_row_clean(s->part, from, now);
        s->part->count[STAT_VERSION_WRITEBACKS] -= partition_row_dirty(s->part, from);
        clean &= partition_row_drained(s->part, mapped(s, r, s->copier->to));
    }
    return clean;
}

static void hold(struct copy_bank *b, bool held)
{
    for (struct version_row *r = b->group; r; r = r->next)
        r->held = held;
}

static void send_clone(struct l2_slice *s, struct copy_bank *b, const struct l2_now *t)
{
    struct partition *part = s->part;
    uint64_t m = clock_convert(part->cfg.clocks, CLK_L2, CLK_MEM, t->l2);
    uint32_t bank = b->group->bank;
    struct dram_address at = addrmap_decode(part->cfg.map, mapped(s, b->group, s->copier->from));
    dram_clone(part->dram, m, bank, l2_dram_row(part, at.row), (uint64_t)s->number << 32 | bank);
    if (m < part->mem_next)
        part->mem_next = m;
    b->phase = PHASE_CLONE;
}

static void run_bank(struct l2_slice *s, struct copy_bank *b, const struct l2_now *t)
{
    if (b->phase == PHASE_IDLE && b->rows)
        take_group(s, b);
    if (b->phase == PHASE_DROP && drop_group(s, b)) {
        hold(b, true);
        b->phase = PHASE_CLEAN;
    }
    if (b->phase == PHASE_CLEAN && clean_group(s, b, t->l2))
        send_clone(s, b, t);
}

void l2_copy_run(struct l2_slice *s, const struct l2_now *t)
{
    struct l2_copier *k = s->copier;
    s->part->count[STAT_VERSION_CYCLES] += t->l2 - k->counted_to;
    k->counted_to = t->l2;
    for (uint32_t b = 0; k->left && b < k->nbanks; b++)
        run_bank(s, &k->bank[b], t);
    s->copying = k->left > 0;
    if (!s->copying && s->engine)
        l2_engine_copied(s, t);
}

/* ---- end ---- */

void l2_copy_done(struct l2_slice *s, uint32_t bank)
{
    struct l2_copier *k = s->copier;
    struct copy_bank *b = &k->bank[bank];
    hold(b, false);
    for (struct version_row *r = b->group; r; r = r->next) {
        moved(s, r, k->from, k->to);
        k->left--;
    }
    b->group = NULL;
    b->phase = PHASE_IDLE;
}

void l2_copier_end(struct l2_slice *s)
{
    free(s->copier);
}

void l2_copy_dump(const struct l2_slice *s, void (*line)(void *ctx, const char *text), void *ctx)
{
    static const char *const waits[] = {
        [PHASE_DROP] = "for the use of lines of the target in L2", [PHASE_CLEAN] = "for write-backs",
        [PHASE_CLONE] = "for CLONE"
    };
    const struct l2_copier *k = s->copier;
    char text[160];
    snprintf(text, sizeof text, "  copies versions from slot %u to slot %u: %u rows left", k->from, k->to, k->left);
    line(ctx, text);
    for (uint32_t b = 0; b < k->nbanks; b++) {
        if (k->bank[b].phase == PHASE_IDLE)
            continue;
        snprintf(text, sizeof text, "    bank %u, row %u: waits %s", b, k->bank[b].group->row, waits[k->bank[b].phase]);
        line(ctx, text);
    }
}

/* ---- plain accesses ---- */

bool l2_held(const struct l2_slice *s, const struct packet *p)
{
    const struct version_row *r = p->kind == MSG_READ ? NULL : vmem_row(s->part->cfg.versions, p->line);
    s->part->count[STAT_VERSION_HELD] += r && r->held;
    return r && r->held;
}

/* The timing of a plain store at a second slot. Its bytes are there already. */
static void send_patch(struct l2_slice *s, struct version_row *r, const struct packet *p, uint32_t slot, uint64_t now)
{
    struct packet *k = partition_packet(s->part, s->id, MSG_WRITE, s->request->vns, p->line, UINT16_MAX);
    k->own = k->patch = true;
    k->type = p->type;
    k->slot = (uint8_t)(slot + 1);
    k->mask[0] = p->mask[0];
    k->mask[1] = p->mask[1];
    k->sectors = p->sectors;
    r->patches++;
    s->part->count[STAT_VERSION_PATCHES]++;
    packet_push(&s->in[k->vn].wait, k);
    l2_wake(s, now + 1);
}

static void patch_bytes(struct l2_slice *s, struct version_row *r, const struct packet *p, uint32_t slot)
{
    const struct vmem *v = s->part->cfg.versions;
    uint64_t other = layout_map(vmem_layout(v), p->line, slot);
    line_merge(vmem_bytes(v, other), vmem_bytes(v, p->mapped), p->mask);
    vmem_wrote(r, slot);
}

static void write_slot(struct l2_slice *s, struct version_row *r, const struct packet *p, uint32_t slot, uint64_t now)
{
    patch_bytes(s, r, p, slot);
    send_patch(s, r, p, slot, now);
}

void l2_version_written(struct l2_slice *s, const struct packet *p, uint64_t now)
{
    const struct vmem *v = s->part->cfg.versions;
    struct version_row *r = p->patch ? NULL : vmem_row(v, p->line);
    uint32_t slot, newest = vmem_newest(v, s->id), next = vmem_next(v, s->id);
    if (!r)
        return;
    layout_unmap(vmem_layout(v), p->mapped, &slot);
    vmem_wrote(r, slot);
    if (p->slot)
        return;
    if (slot != newest)
        write_slot(s, r, p, newest, now);
    if (next != VMEM_NONE && r->copied && slot != next)
        write_slot(s, r, p, next, now);
    for (uint32_t older = vmem_older(v, s->id) & ~(UINT32_C(1) << slot); older; older &= older - 1)
        patch_bytes(s, r, p, (uint32_t)__builtin_ctz(older));
}

void l2_version_read(struct l2_slice *s, const struct packet *p)
{
    if (!p->slot && !p->own && vmem_row(s->part->cfg.versions, p->line))
        s->part->count[STAT_VERSION_PLAIN_LOADS]++;
}

void l2_version_patched(struct l2_slice *s, struct packet *p)
{
    vmem_row(s->part->cfg.versions, p->line)->patches--;
    packet_return(p);
}
