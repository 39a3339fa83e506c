/*
 * The manager without time (sitm.instant), for the oracle variant of the paper, which has no cost of begins, decisions
 * and row copies. The manager takes a message from an SM in the serial step after its cycle, in the order of SMs;
 * replies, copies, publications and releases follow in the same step. Windows are one cycle long. Only write sets, PASS
 * and their acknowledgements are packets.
 */
#include "tm/sitm/sitm.h"

void sitm_instant_send(struct sitm_core *x, const struct sitm_message *m)
{
    *(struct sitm_message *)fifo_push(&x->requests) = *m;
    tm_run_at(x->tm, tm_now(x->tm));
}

/* A slice acts on the manager's message, and the manager receives its acknowledgements. */
static void to_slice(struct sitm_unit *u, const struct sitm_message *m, struct sitm_manager *manager)
{
    struct sitm_message ack;
    if (sitm_slice_control(&u->rules, m, &ack))
        sitm_manager_receive(manager, &ack);
    if (m->kind == SITM_COPY) {
        engine_copy_slot_at_once(&u->home, m->from, m->slot);
        sitm_slice_copied(&u->rules, m, &ack);
        sitm_manager_receive(manager, &ack);
    }
    if (m->kind == SITM_PUBLISH)
        engine_publish_slot(&u->home, sitm_slice_slot(&u->rules, m->version));
    while (sitm_slice_removing(&u->rules))
        if (sitm_slice_remove(&u->rules, &ack))
            sitm_manager_receive(manager, &ack);
}

static void deliver(struct sitm_gpu *g, struct sitm_message *m, uint64_t now)
{
    if (sitm_for_slices(m->kind)) {
        for (uint32_t s = 0; s < g->slices; s++)
            to_slice(g->unit[s], m, g->manager);
        return;
    }
    sitm_manager_label(g->unit[0]->manager, m);
    sitm_message_arrived(g->core[m->warp / g->slots], m, now);
}

static void deliver_all(struct sitm_gpu *g, uint64_t now)
{
    struct sitm_message m;
    while (sitm_manager_send(g->manager, &m))
        deliver(g, &m, now);
}

/* An SM may send again in reply, so this repeats until there are no requests. */
void sitm_instant_step(struct sitm_gpu *g, void *const *cores, uint32_t n, uint64_t now)
{
    bool some = true;
    while (some) {
        some = false;
        for (uint32_t i = 0; i < n; i++) {
            struct fifo *requests = &sitm_core(cores[i])->requests;
            for (; requests->n; some = true) {
                struct sitm_message m = *(const struct sitm_message *)fifo_front(requests);
                fifo_pop(requests);
                sitm_manager_receive(g->manager, &m);
                deliver_all(g, now);
            }
        }
    }
}
