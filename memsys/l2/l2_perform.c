/*
 * Performing an access: the instant at which its value is bound. Device memory is the only store of L2 and DRAM: a read
 * copies its line from it, a write merges its bytes into it, an atomic reads and writes it.
 */
#include <string.h>

#include "memsys/l2/l2.h"
#include "memsys/xbar/xbar.h"
#include "ptx/memory/access.h"

enum l2_result l2_cannot_perform(const struct l2_slice *s, const struct packet *p, uint64_t port_free, uint64_t now)
{
    if (!p->own && s->replies[p->vn] >= s->part->cfg.l2.reply_queue)
        return L2_BLOCKED_REPLY_QUEUE;
    if (port_free > now)
        return L2_BLOCKED_DATA_ARRAY;
    if (p->kind == MSG_ATOMIC && s->atomic)
        return L2_BLOCKED_ATOMIC_UNIT;
    return L2_SERVED;
}

void l2_mark_dirty(struct l2_slice *s, uint32_t i, uint8_t sectors)
{
    if (i == TAG_NONE)
        return;
    s->dirty_lines += !s->tags.tag[i].dirty;
    s->dirty[i / 64] |= UINT64_C(1) << i % 64;
    s->tags.tag[i].dirty |= sectors;
    s->tags.tag[i].valid |= sectors;
}

/* A reply of n packets: all but the last are empty and occupy the crossbar; the last one carries the data. */
static void queue_sectors(struct l2_slice *s, const struct packet *p, uint32_t n, uint32_t bytes)
{
    for (; n > 1; n--) {
        struct packet *k = packet_new(&s->pool);
        k->kind = MSG_SECTOR;
        k->vn = p->vn;
        k->sm = p->sm;
        k->slice = p->slice;
        k->warp = UINT16_MAX;
        k->bytes = (uint16_t)bytes;
        s->replies[k->vn]++;
        packet_push(&s->out[k->vn], k);
    }
}

/* payload: bytes of the reply without headers. */
static void queue_reply(struct l2_slice *s, struct packet *p, enum msg_kind kind, uint32_t payload)
{
    const struct l2_cfg *c = &s->part->cfg.l2;
    uint32_t sectors = l2_sectors(p->sectors), n = (payload ? c->sector_replies : c->sector_acks) ? sectors : 1;
    if (n > 1) {
        payload = (payload + n - 1) / n;
        queue_sectors(s, p, n, PACKET_HEADER + payload);
    }
    p->kind = (uint8_t)kind;
    p->bytes = (uint16_t)(PACKET_HEADER + payload);
    packet_push(&s->out[p->vn], p);
}

static uint32_t cycles_per_lane(const struct l2_cfg *c, unsigned atomic_class)
{
    switch (atomic_class) {
    case ATOMIC_EXCH: return c->atomic_exch;
    case ATOMIC_CAS: return c->atomic_cas;
    case ATOMIC_FLOAT: return c->atomic_float;
    default: return c->atomic_add;
    }
}

/*
 * All lanes read and write memory when the request enters the atomic unit; the reply leaves it later. Lanes with one
 * word occupy the unit one after another; different words of the line are processed in parallel.
 */
void l2_start_atomic(struct l2_slice *s, struct packet *p, uint64_t now)
{
    const struct l2_cfg *c = &s->part->cfg.l2;
    const struct partition_calls *calls = &s->part->cfg.calls;
    for (int h = 0; p->atom && h < MAX_HALVES; h++)
        s->part->count[STAT_ATOMIC_LANES] += (unsigned)__builtin_popcount(p->atom->lanes[h]);
    uint64_t cycles = (uint64_t)calls->atomic(calls->ctx, s->id, p) * cycles_per_lane(c, p->atomic_class);
    if (cycles < c->atomic_warp)
        cycles = c->atomic_warp;
    s->part->count[STAT_ATOMIC_BUSY] += cycles;
    s->atomic = p;
    s->atomic_free = now + cycles;
}

bool l2_finish_atomic(struct l2_slice *s, uint64_t now)
{
    if (s->atomic_free > now)
        return false;
    uint16_t bytes = s->atomic->reply_bytes;
    enum msg_kind kind = s->atomic->kind == MSG_ATOMIC ? MSG_ATOMIC_REPLY : s->atomic->kind;
    queue_reply(s, s->atomic, kind, bytes > PACKET_HEADER ? bytes - PACKET_HEADER : 0);
    s->atomic = NULL;
    return true;
}

/* An access of the engine has performed. */
static void end_own(struct l2_slice *s, struct packet *p, const struct l2_now *t)
{
    const struct order_time bound = { t->core, ++s->turns };
    const uint8_t *line = p->kind == MSG_READ ? p->data : l2_bytes(s, p->mapped);
    if (s->history)
        order_history_engine(s->history, p, (uint16_t)s->id, &bound, line);
    l2_engine_performed(s, p, t);
}

/* Hooks of an access that performs, before memory changes. */
static void before_access(struct l2_slice *s, struct packet *p, const struct l2_now *t)
{
    if (s->engine && !p->patch)
        l2_engine_accessed(s, p, t);
    if (s->engine && p->noted)
        l2_engine_note(s, p, t);
}

static void perform_write(struct l2_slice *s, uint32_t i, struct packet *p, uint8_t *memory, const struct l2_now *t)
{
    if (memory && !p->patch)
        line_merge(memory, p->data, p->mask);
    l2_mark_dirty(s, i, p->sectors);
    if (s->copier)
        l2_version_written(s, p, t->l2);
    if (p->patch)
        l2_version_patched(s, p);
    else if (p->own)
        end_own(s, p, t);
    else
        queue_reply(s, p, MSG_WRITE_ACK, 0);
}

void l2_perform(struct l2_slice *s, uint64_t *port_free, uint32_t i, struct packet *p, const struct l2_now *t)
{
    uint8_t *memory = l2_bytes(s, p->mapped);
    uint32_t sectors = l2_sectors(p->sectors);
    *port_free = t->l2 + s->part->data_cycles[sectors];
    l2_count_sectors(s, p->kind != MSG_WRITE ? sectors : 0, p->kind != MSG_READ ? sectors : 0);
    if (!p->own)
        s->replies[p->vn]++;
    before_access(s, p, t);
    p->stamp[STAMP_L2] = t->core;
    if (i != TAG_NONE)
        tags_touch(&s->tags, i);
    switch (p->kind) {
    case MSG_READ:
        if (memory)
            memcpy(p->data, memory, LINE_BYTES);
        if (s->copier)
            l2_version_read(s, p);
        if (p->own)
            end_own(s, p, t);
        else
            queue_reply(s, p, MSG_READ_REPLY, SECTOR_BYTES * sectors + p->note_bytes);
        break;
    case MSG_WRITE:
        perform_write(s, i, p, memory, t);
        break;
    default:
        l2_mark_dirty(s, i, p->sectors);
        l2_start_atomic(s, p, t->l2);
        if (s->copier)
            l2_version_written(s, p, t->l2);
    }
}

/* Sends the head of a network's reply queue, if credits for all its flits have returned by now. */
static bool send_head(struct l2_slice *s, unsigned vn, const struct l2_now *t)
{
    const struct partition_cfg *c = &s->part->cfg;
    struct packet *p = s->out[vn].head;
    uint32_t flits = xbar_flits(p->bytes, c->flit_bytes);
    if (!port_may_send(s->reply, clock_floor(c->clocks, CLK_L2, CLK_XBAR, t->l2), vn, flits)) {
        s->no_credit |= UINT32_C(1) << vn;
        return false;
    }
    packet_pop(&s->out[vn]);
    s->replies[vn]--;
    p->stamp[STAMP_REPLY] = t->core;
    port_send(s->reply, t->xbar + c->reply_latency, vn, flits, p);
    return true;
}

/* One packet a cycle; round robin over the networks. */
bool l2_send_reply(struct l2_slice *s, const struct l2_now *t)
{
    uint32_t vns = s->reply->vns;
    s->no_credit = 0;
    for (uint32_t k = 0; k < vns; k++) {
        uint32_t vn = s->next_output + k < vns ? s->next_output + k : s->next_output + k - vns;
        if (s->out[vn].n && send_head(s, vn, t)) {
            s->next_output = vn + 1 == vns ? 0 : vn + 1;
            return true;
        }
    }
    return false;
}
