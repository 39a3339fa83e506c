/* The unit beside an L2 slice: its messages, its accesses, and when it acts (engine.h). */
#include "memsys/l2/l2.h"
#include "memsys/xbar/xbar.h"

void l2_unit_init(struct slice *s)
{
    const struct partition_cfg *c = &s->part->cfg;
    const struct unit_home home = {
        .part = s->part, .slice = s->id, .slices = c->all_slices, .count = s->part->count, .hists = s->part->hists,
        .clocks = c->clocks, .map = c->map
    };
    s->unit_next = NEVER;
    if (c->unit)
        s->unit = c->unit->new_unit(c->unit_shared, &home);
}

void l2_unit_end(struct slice *s)
{
    if (s->unit)
        s->part->cfg.unit->free_unit(s->unit);
}

void l2_unit_take(struct slice *s, const struct l2_now *t)
{
    const struct partition_cfg *c = &s->part->cfg;
    s->unit_busy = false;
    for (uint32_t v = 0; v < s->request->vns; v++)
        while (s->in[v].wait.n && s->in[v].wait.head->kind >= MSG_UNIT) {
            struct packet *p = s->in[v].wait.head;
            uint32_t flits = xbar_flits(p->bytes, c->flit_bytes);
            packet_pop(&s->in[v].wait);
            s->unit_next = t->l2;
            if (!c->unit->take(s->unit, p, t->l2)) {
                packet_push_front(&s->in[v].wait, p);
                s->unit_busy = true;
                break;
            }
            port_return(s->request, t->xbar + c->credit_latency, v, flits);
        }
}

void l2_unit_run(struct slice *s, const struct l2_now *t)
{
    if (s->unit_next <= t->l2 || s->part->cfg.walk)
        s->unit_next = s->part->cfg.unit->run(s->unit, t->l2);
}

void l2_unit_performed(struct slice *s, struct packet *p, const struct l2_now *t)
{
    s->part->cfg.unit->performed(s->unit, p, t->l2);
    s->unit_next = t->l2 + 1;
}

bool l2_unit_before(struct slice *s, const struct packet *p, const struct l2_now *t)
{
    const struct unit_kind *u = s->part->cfg.unit;
    return !u->before || u->before(s->unit, p, t->l2);
}

void l2_unit_accessed(struct slice *s, const struct packet *p, const struct l2_now *t)
{
    if (s->part->cfg.unit->accessed)
        s->part->cfg.unit->accessed(s->unit, p, t->l2);
}

bool l2_unit_idle(const struct slice *s)
{
    return !s->unit || s->part->cfg.unit->idle(s->unit);
}

void l2_unit_settle(struct slice *s, uint64_t until)
{
    if (s->unit && s->part->cfg.unit->settle)
        s->part->cfg.unit->settle(s->unit, until);
}

/* ---- for units ---- */

struct packet *unit_packet(const struct unit_home *h, bool write, uint64_t line, uint8_t sectors)
{
    struct packet *k = partition_packet(h->part, h->slice, write ? MSG_WRITE : MSG_READ, 0, line, UINT16_MAX);
    k->own = true;
    k->type = write ? ACCESS_GLOBAL_STORE : ACCESS_GLOBAL_LOAD;
    k->sectors = sectors;
    return k;
}

static struct slice *slice_of(const struct unit_home *h)
{
    return &h->part->slice[h->slice - h->part->cfg.channel * h->part->cfg.slices];
}

void unit_runs(const struct unit_home *h, uint64_t at)
{
    struct slice *s = slice_of(h);
    s->unit_next = at < s->unit_next ? at : s->unit_next;
    l2_wake(s, at);
}

void unit_access(const struct unit_home *h, struct packet *k, uint64_t now)
{
    struct slice *s = slice_of(h);
    k->vn = (uint8_t)s->request->vns;
    packet_push(&s->in[k->vn].wait, k);
    l2_wake(s, now + 1);
}
