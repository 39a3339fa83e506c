/*
 * Slices: accesses, removal of entries, and an L2 over the rows of the version slots, which writes back at random. A
 * copy writes back the source's lines, drops those of the target, and moves the bytes row by row.
 */
#include "regress/unit/sitm/sitm_impl.h"

/* ---- memory: L2 over the rows of the version slots ---- */

uint32_t model_load(struct model *m, uint32_t slot, uint32_t word)
{
    struct line *l = &m->l2[slot][word];
    if (!l->valid)
        *l = (struct line){ .valid = true, .value = m->memory[slot][word] };
    return l->value;
}

static void store(struct model *m, uint32_t slot, uint32_t word, uint32_t value)
{
    m->l2[slot][word] = (struct line){ true, true, value };
}

static void write_back(struct model *m, uint32_t slot, uint32_t word, bool drop)
{
    struct line *l = &m->l2[slot][word];
    if (l->valid && l->dirty)
        m->memory[slot][word] = l->value;
    l->dirty = false;
    l->valid = l->valid && !drop;
}

void model_evict(struct model *m)
{
    write_back(m, model_draw(m, m->setup->rules.slots), model_draw(m, m->setup->words), true);
    model_push(m, model_event(m, L2_EVICT, m->now + 1 + model_draw(m, 2 * m->setup->delay)));
}

/* ---- slices ---- */

void model_slice_access(struct model *m, const struct event *e)
{
    struct sitm_slice *s = &m->slice[e->slice].rules;
    struct sitm_message edge;
    struct event *perform = model_event(m, SLICE_PERFORM, m->now + (e->write ? 0 : model_draw(m, m->setup->delay)));
    perform->warp = e->warp;
    perform->slice = e->slice;
    perform->write = e->write;
    perform->access = e->access;
    perform->slot = sitm_slice_slot(s, e->access.snapshot);
    (e->write ? sitm_slice_write : sitm_slice_read)(s, &e->access, &perform->reply, &edge);
    if (edge.edges)
        model_from_slice(m, e->slice, &edge);
    model_graph_access(m, e, e->access.lanes & ~(perform->reply.refused_write | perform->reply.refused_table));
    model_push(m, perform);
    if (!e->write && perform->slot == SITM_NO_SLOT)
        model_fail(m, "snapshot: no slot holds version", e->access.snapshot);
}

void model_slice_perform(struct model *m, const struct event *e)
{
    struct event *reply = model_event(m, SM_REPLY, m->now + model_delay(m, e->slice));
    reply->warp = e->warp;
    reply->write = e->write;
    reply->reply = e->reply;
    reply->access = e->access;
    if (!e->write && sitm_slice_slot(&m->slice[e->slice].rules, e->access.snapshot) != e->slot)
        model_fail(m, "snapshot: the slot holds another version than", e->access.snapshot);
    for (uint32_t lanes = e->write ? 0 : e->access.lanes; lanes;) {
        uint32_t lane = sitm_lane(&lanes);
        reply->value[lane] = model_load(m, e->slot, e->access.word[lane]);
    }
    model_push(m, reply);
}

static uint64_t write_time(struct model *m, uint64_t *last)
{
    uint64_t time = m->now + model_draw(m, m->setup->delay);
    *last = time > *last ? time : *last;
    return time;
}

/* PASS: words are performed one by one; then CU_DONE. */
void model_slice_pass(struct model *m, const struct event *e)
{
    uint64_t last = m->now;
    sitm_slice_pass(&m->slice[e->slice].rules, &e->m);
    for (uint32_t lanes = e->m.lanes; lanes;) {
        const struct sitm_txn *t = &m->warp[e->warp].lane[sitm_lane(&lanes)].txn;
        for (uint32_t i = 0; i < t->n; i++) {
            bool last_write = t->access[i].write && model_slice(m, t->access[i].word) == e->slice;
            for (uint32_t j = i + 1; j < t->n; j++)
                last_write = last_write && !(t->access[j].write && t->access[j].word == t->access[i].word);
            if (!last_write)
                continue;
            struct event *w = model_event(m, SLICE_WRITE, write_time(m, &last));
            w->slot = e->m.slot;
            w->row = t->access[i].word;
            w->value[0] = t->access[i].value;
            model_push(m, w);
        }
    }
    struct event *done = model_event(m, SM_MESSAGE, last + model_delay(m, e->slice));
    done->warp = e->warp;
    done->m = (struct sitm_message){ .kind = SITM_CU_DONE };
    model_push(m, done);
}

static void start_removing(struct model *m, uint32_t slice)
{
    struct slice *s = &m->slice[slice];
    if (s->removing || !sitm_slice_removing(&s->rules))
        return;
    s->removing = true;
    struct event *e = model_event(m, SLICE_REMOVE, m->now + model_draw(m, 4));
    e->slice = slice;
    model_push(m, e);
}

static void start_copy(struct model *m, const struct event *copy)
{
    uint64_t time = m->now;
    struct slice *s = &m->slice[copy->slice];
    s->rows = 0;
    for (uint32_t word = 0; word < SITM_MOST_WORDS; word++)
        if (model_slice(m, word) == copy->slice) {
            write_back(m, copy->m.from, word, false);
            write_back(m, copy->m.slot, word, true);
            struct event *row = model_event(m, SLICE_ROW, time += model_draw(m, m->setup->delay / 4 + 1));
            row->slice = copy->slice;
            row->row = word;
            row->m = copy->m;
            model_push(m, row);
            s->rows++;
        }
}

void model_slice_row(struct model *m, const struct event *e)
{
    struct sitm_message ack;
    m->memory[e->m.slot][e->row] = m->memory[e->m.from][e->row];
    if (--m->slice[e->slice].rows)
        return;
    sitm_slice_copied(&m->slice[e->slice].rules, &e->m, &ack);
    model_from_slice(m, e->slice, &ack);
}

void model_slice_control(struct model *m, const struct event *e)
{
    struct sitm_message ack;
    if (sitm_slice_control(&m->slice[e->slice].rules, &e->m, &ack))
        model_from_slice(m, e->slice, &ack);
    if (e->m.kind == SITM_COPY)
        start_copy(m, e);
    start_removing(m, e->slice);
}

void model_slice_remove(struct model *m, const struct event *e)
{
    struct sitm_message released;
    m->slice[e->slice].removing = false;
    if (sitm_slice_remove(&m->slice[e->slice].rules, &released))
        model_from_slice(m, e->slice, &released);
    start_removing(m, e->slice);
}

void model_slice_write(struct model *m, const struct event *e)
{
    store(m, e->slot, e->row, e->value[0]);
}
