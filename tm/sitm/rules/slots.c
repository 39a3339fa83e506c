/* Life of the version slots, one step a function. */
#include "tm/sitm/rules/messages.h"
#include "tm/sitm/rules/slots.h"

void sitm_slots_init(struct sitm_slots *t, uint32_t n)
{
    *t = (struct sitm_slots){ .n = n, .newest = 0, .open = SITM_NO_SLOT };
    t->slot[0].state = SITM_SLOT_PUBLISHED;
}

/* S3 -> S4. */
static void recycle(struct sitm_slots *t, uint32_t slot)
{
    struct sitm_slot *s = &t->slot[slot];
    if (s->state == SITM_SLOT_PUBLISHED && slot != t->newest && !s->references)
        s->state = SITM_SLOT_FREE;
}

uint32_t sitm_slots_copy(struct sitm_slots *t)
{
    const struct sitm_slot *newest = &t->slot[t->newest];
    for (uint32_t i = 0; i < t->n; i++)
        if (t->slot[i].state == SITM_SLOT_FREE) {
            t->slot[i] = (struct sitm_slot){ .version = newest->version + 1, .floor = newest->floor,
                                             .state = SITM_SLOT_COPYING };
            t->open = i;
            return i;
        }
    return SITM_NO_SLOT;
}

void sitm_slots_copied(struct sitm_slots *t)
{
    t->slot[t->open].state = SITM_SLOT_OPEN;
}

void sitm_slots_publish(struct sitm_slots *t)
{
    uint32_t old = t->newest;
    t->newest = t->open;
    t->open = SITM_NO_SLOT;
    t->slot[t->newest].state = SITM_SLOT_PUBLISHED;
    recycle(t, old);
}

void sitm_slots_reference(struct sitm_slots *t, uint32_t slot)
{
    t->slot[slot].references++;
}

void sitm_slots_unreference(struct sitm_slots *t, uint32_t slot)
{
    t->slot[slot].references--;
    recycle(t, slot);
}

void sitm_slots_reset(struct sitm_slots *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        t->slot[i].version = i == t->open;
        t->slot[i].floor = 0;
    }
}
