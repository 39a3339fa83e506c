/* The engine beside an L2 slice: its messages, accesses and events (engine.h). */
#include "memsys/l2/l2.h"
#include "memsys/xbar/xbar.h"

void l2_engine_init(struct l2_slice *s)
{
    const struct partition_cfg *c = &s->part->cfg;
    const struct engine_home home = {
        .part = s->part, .slice = s->id, .slices = c->all_slices, .count = s->part->count, .hists = s->part->hists,
        .clocks = c->clocks, .map = c->map
    };
    s->engine_next = NEVER;
    if (c->engine)
        s->engine = c->engine->new_engine(c->engine_shared, &home);
}

void l2_engine_end(struct l2_slice *s)
{
    if (s->engine)
        s->part->cfg.engine->free_engine(s->engine);
}

void l2_engine_receive(struct l2_slice *s, const struct l2_now *t)
{
    const struct partition_cfg *c = &s->part->cfg;
    s->engine_blocked = false;
    for (uint32_t v = 0; v < s->request->vns; v++)
        while (s->in[v].wait.n && s->in[v].wait.head->kind >= MSG_ENGINE) {
            struct packet *p = s->in[v].wait.head;
            uint32_t flits = xbar_flits(p->bytes, c->flit_bytes);
            packet_pop(&s->in[v].wait);
            s->engine_next = t->l2;
            if (!c->engine->take(s->engine, p, t->l2)) {
                packet_push_front(&s->in[v].wait, p);
                s->engine_blocked = true;
                break;
            }
            port_return(s->request, t->xbar + c->credit_latency, v, flits);
        }
}

void l2_engine_run(struct l2_slice *s, const struct l2_now *t)
{
    if (s->engine_next <= t->l2 || s->part->cfg.walk)
        s->engine_next = s->part->cfg.engine->run(s->engine, t->l2);
}

void l2_engine_performed(struct l2_slice *s, struct packet *p, const struct l2_now *t)
{
    s->part->cfg.engine->performed(s->engine, p, t->l2);
    s->engine_next = t->l2 + 1;
}

bool l2_engine_before(struct l2_slice *s, const struct packet *p, const struct l2_now *t)
{
    const struct engine_kind *k = s->part->cfg.engine;
    return !k->before || k->before(s->engine, p, t->l2);
}

void l2_engine_accessed(struct l2_slice *s, const struct packet *p, const struct l2_now *t)
{
    if (s->part->cfg.engine->accessed)
        s->part->cfg.engine->accessed(s->engine, p, t->l2);
}

void l2_engine_note(struct l2_slice *s, struct packet *p, const struct l2_now *t)
{
    if (s->part->cfg.engine->note)
        s->part->cfg.engine->note(s->engine, p, t->l2);
}

void l2_engine_copied(struct l2_slice *s, const struct l2_now *t)
{
    if (s->part->cfg.engine->copied)
        s->part->cfg.engine->copied(s->engine, t->l2);
    s->engine_next = t->l2 + 1;
}

bool l2_engine_idle(const struct l2_slice *s)
{
    return !s->engine || s->part->cfg.engine->idle(s->engine);
}

void l2_engine_settle(struct l2_slice *s, uint64_t until)
{
    if (s->engine && s->part->cfg.engine->settle)
        s->part->cfg.engine->settle(s->engine, until);
}

/* ---- for engines ---- */

struct packet *engine_packet(const struct engine_home *h, bool write, uint64_t line, uint8_t sectors)
{
    struct packet *k = partition_packet(h->part, h->slice, write ? MSG_WRITE : MSG_READ, 0, line, UINT16_MAX);
    k->own = true;
    k->type = write ? ACCESS_GLOBAL_STORE : ACCESS_GLOBAL_LOAD;
    k->sectors = sectors;
    return k;
}

static struct l2_slice *slice_of(const struct engine_home *h)
{
    return &h->part->slice[h->slice - h->part->cfg.channel * h->part->cfg.slices];
}

void engine_runs(const struct engine_home *h, uint64_t at)
{
    struct l2_slice *s = slice_of(h);
    s->engine_next = at < s->engine_next ? at : s->engine_next;
    l2_wake(s, at);
}

void engine_access(const struct engine_home *h, struct packet *k, uint64_t now)
{
    struct l2_slice *s = slice_of(h);
    k->vn = (uint8_t)s->request->vns;
    packet_push(&s->in[k->vn].wait, k);
    l2_wake(s, now + 1);
}

uint8_t *engine_bytes(const struct engine_home *h, uint64_t mapped)
{
    return l2_bytes(slice_of(h), mapped);
}

bool engine_versioned(const struct engine_home *h, uint64_t address)
{
    const struct vmem *v = h->part->cfg.versions;
    return v && vmem_row(v, address);
}

void engine_copy_slot(const struct engine_home *h, uint32_t from, uint32_t to, uint64_t now)
{
    l2_copy_begin(slice_of(h), from, to, now);
}

void engine_copy_slot_at_once(const struct engine_home *h, uint32_t from, uint32_t to)
{
    l2_copy_at_once(slice_of(h), from, to);
}

void engine_publish_slot(const struct engine_home *h, uint32_t slot)
{
    vmem_publish(h->part->cfg.versions, h->slice, slot);
}
