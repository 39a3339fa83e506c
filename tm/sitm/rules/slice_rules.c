/* R2, R3, R5, R7 and R11 at a slice; the manager's messages; removal of entries. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/sitm/rules/slice_rules.h"

void sitm_slice_init(struct sitm_slice *s, const struct sitm_rules *rules)
{
    *s = (struct sitm_slice){ .rules = rules };
    sitm_writer_table_init(&s->writers, rules->writer_entries);
    sitm_reader_list_init(&s->readers, rules->reader_entries);
    fifo_init(&s->releases, sizeof(struct sitm_message), "releases of a slice");
    version_index_set(&s->index, 0, 0);
}

void sitm_slice_end(struct sitm_slice *s)
{
    sitm_writer_table_end(&s->writers);
    sitm_reader_list_end(&s->readers);
    fifo_end(&s->releases);
    free(s->edge);
}

/* ---- accesses ---- */

static void add_edge(struct sitm_slice *s, uint32_t before, uint32_t after, bool after_accesses)
{
    s->edge = mem_grow(s->edge, s->edges, &s->edges_cap, sizeof *s->edge, "dependencies of a slice");
    s->edge[s->edges++] = (struct sitm_edge){ (uint16_t)before, (uint16_t)after, after_accesses };
}

static void start_reply(struct sitm_slice *s, const struct sitm_access *a, struct sitm_reply *reply)
{
    memset(reply, 0, sizeof *reply);
    reply->lanes = a->lanes;
    s->edges = 0;
}

static void finish_reply(struct sitm_slice *s, const struct sitm_access *a, struct sitm_message *edge)
{
    *edge = (struct sitm_message){ .kind = SITM_EDGE, .group = a->group, .lanes = a->lanes, .edges = s->edges,
                                   .edge = s->edge };
    s->counts.edges += s->edges;
}

/* The writer's version is not in the snapshot. */
static bool newer(const struct sitm_writer *w, uint32_t snapshot)
{
    return w->version == SITM_NO_VERSION || w->version > snapshot;
}

/* R3: the reader precedes the writers that it does not see. */
static void order_reader(struct sitm_slice *s, uint32_t word, uint32_t id, uint32_t snapshot)
{
    const struct sitm_writer *entry = s->writers.entry;
    for (uint32_t e = sitm_writer_table_first(&s->writers, word); e != SITM_NONE; e = entry[e].next)
        if (entry[e].id != id && newer(&entry[e], snapshot))
            add_edge(s, id, entry[e].id, false);
}

static void read_lane(struct sitm_slice *s, const struct sitm_access *a, uint32_t lane, struct sitm_reply *reply)
{
    uint32_t id = sitm_id(a->group, lane), word = a->word[lane], before = s->edges;
    s->counts.reads++;
    if (sitm_reader_list_add(&s->readers, word, id)) {
        order_reader(s, word, id, a->snapshot);
    } else {
        reply->refused_table |= (uint32_t)1 << lane;
        s->counts.refused_full_reader++;
    }
    reply->edges[lane] = (uint16_t)(s->edges - before);
}

void sitm_slice_read(struct sitm_slice *s, const struct sitm_access *a, struct sitm_reply *reply,
                     struct sitm_message *edge)
{
    start_reply(s, a, reply);
    if (!a->exclusive && s->rules->edges)
        for (uint32_t lanes = a->lanes; lanes;)
            read_lane(s, a, sitm_lane(&lanes), reply);
    finish_reply(s, a, edge);
}

/* R7: another attempt writes the word, or has committed it after the snapshot. */
static bool write_conflict(const struct sitm_slice *s, uint32_t word, uint32_t id, uint32_t snapshot)
{
    const struct sitm_writer *entry = s->writers.entry;
    for (uint32_t e = sitm_writer_table_first(&s->writers, word); e != SITM_NONE; e = entry[e].next) {
        bool running = entry[e].version == SITM_NO_VERSION;
        if (entry[e].id != id && (running || (s->rules->fcw == SITM_FCW_TABLE && entry[e].version > snapshot)))
            return true;
    }
    return false;
}

/* R5: the readers, which do not see the write, precede the writer. */
static void order_writer(struct sitm_slice *s, uint32_t word, uint32_t id)
{
    uint32_t reader = sitm_reader_list_next(&s->readers, word, 0);
    for (; reader != SITM_NONE; reader = sitm_reader_list_next(&s->readers, word, reader + 1))
        if (reader != id)
            add_edge(s, reader, id, true);
}

static void write_lane(struct sitm_slice *s, const struct sitm_access *a, uint32_t lane, struct sitm_reply *reply)
{
    uint32_t id = sitm_id(a->group, lane), word = a->word[lane], before = s->edges;
    s->counts.writes++;
    if (write_conflict(s, word, id, a->snapshot)) {
        reply->refused_write |= (uint32_t)1 << lane;
        s->counts.refused_write++;
    } else if (sitm_writer_table_add(&s->writers, word, id)) {
        order_writer(s, word, id);
    } else {
        reply->refused_table |= (uint32_t)1 << lane;
        s->counts.refused_full_writer++;
    }
    reply->edges[lane] = (uint16_t)(s->edges - before);
}

void sitm_slice_write(struct sitm_slice *s, const struct sitm_access *a, struct sitm_reply *reply,
                      struct sitm_message *edge)
{
    start_reply(s, a, reply);
    if (!a->exclusive)
        for (uint32_t lanes = a->lanes; lanes;)
            write_lane(s, a, sitm_lane(&lanes), reply);
    finish_reply(s, a, edge);
}

uint32_t sitm_slice_slot(const struct sitm_slice *s, uint32_t version)
{
    return version_index_find(&s->index, version);
}

void sitm_slice_pass(struct sitm_slice *s, const struct sitm_message *pass)
{
    for (uint32_t lanes = pass->lanes; lanes;)
        sitm_writer_table_commit(&s->writers, sitm_id(pass->group, sitm_lane(&lanes)), pass->version);
}

/* ---- messages of the manager ---- */

static void renumber(struct sitm_slice *s, const struct sitm_message *reset)
{
    s->index = (struct version_index){ 0 };
    version_index_set(&s->index, reset->slot, 0);
    s->newest = 0;
}

bool sitm_slice_control(struct sitm_slice *s, const struct sitm_message *m, struct sitm_message *ack)
{
    *ack = *m;
    switch (m->kind) {
    case SITM_COPY:
        version_index_clear(&s->index, m->slot);
        return false;
    case SITM_RELEASE:
        *(struct sitm_message *)fifo_push(&s->releases) = *m;
        return false;
    case SITM_PUBLISH:
        version_index_set(&s->index, s->open, m->version);
        s->newest = m->version;
        ack->kind = SITM_PUBLISHED;
        return true;
    default:
        renumber(s, m);
        ack->kind = SITM_RESET_DONE;
        return true;
    }
}

void sitm_slice_copied(struct sitm_slice *s, const struct sitm_message *copy, struct sitm_message *ack)
{
    s->open = copy->slot;
    *ack = *copy;
    ack->kind = SITM_COPIED;
}

/* ---- removal ---- */

bool sitm_slice_removing(const struct sitm_slice *s)
{
    return s->releases.n;
}

static bool remove_entry(struct sitm_slice *s, uint32_t group, uint32_t lanes)
{
    for (uint32_t rest = lanes; rest;)
        if (sitm_writer_table_remove(&s->writers, sitm_id(group, sitm_lane(&rest))))
            return true;
    return sitm_reader_list_remove(&s->readers, group, lanes);
}

bool sitm_slice_remove(struct sitm_slice *s, struct sitm_message *released)
{
    const struct sitm_message *m = fifo_front(&s->releases);
    if (remove_entry(s, m->group, m->lanes)) {
        s->counts.removed++;
        return false;
    }
    *released = *m;
    released->kind = SITM_RELEASED;
    fifo_pop(&s->releases);
    return true;
}

bool sitm_slice_empty(const struct sitm_slice *s)
{
    return !s->writers.n && !s->readers.n;
}
