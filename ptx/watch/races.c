/* Cells of shared memory and their last accesses (races.h). */
#include "ptx/watch/races.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { GRAIN = 4, KEPT = 2 };

/* Of more than two writes or reads that are not ordered, the first and the last are kept. */
struct race_cell { struct race_access write[KEPT], read[KEPT]; };

static size_t cells(const struct races *r)
{
    return r->bytes / r->grain + 1;
}

static void make(struct races *r, uint32_t bytes, unsigned grain)
{
    r->bytes = bytes;
    r->grain = grain;
    r->cell = mem_zero(cells(r), sizeof *r->cell, "the accesses to shared memory (check.races)");
}

void races_restart(struct races *r, uint32_t bytes)
{
    if (r->cell && r->bytes == bytes) {
        memset(r->cell, 0, cells(r) * sizeof *r->cell);
        return;
    }
    free(r->cell);
    make(r, bytes, GRAIN);
}

void races_free(struct races *r)
{
    free(r->cell);
}

void races_fit(struct races *r, uint32_t address, unsigned width)
{
    struct races whole = *r;
    if (r->grain == 1 || !((address | width) & (r->grain - 1)))
        return;
    make(r, whole.bytes, 1);
    for (uint32_t i = 0; i < r->bytes; i++) {
        r->cell[i] = whole.cell[i / whole.grain];
        for (int k = 0; k < KEPT; k++)
            r->cell[i].write[k].value = r->cell[i].write[k].value >> 8 * (i % whole.grain) & 0xff;
    }
    free(whole.cell);
}

static bool is_race(const struct order *o, const struct race_access *now, const struct race_access *before)
{
    if (!before->d || (now->strong && before->strong) ||
        order_follows(o, before->event, now->event.warp, now->event.lane))
        return false;
    return !(now->has_value && before->has_value && now->value == before->value);
}

static bool find(const struct order *o, const struct race_access *now, const struct race_access *kept,
                 struct race_access *other)
{
    for (int i = 0; i < KEPT; i++)
        if (is_race(o, now, &kept[i])) {
            *other = kept[i];
            return true;
        }
    return false;
}

static bool follows(const struct order *o, const struct race_access *now, const struct race_access *before)
{
    return !before->d || order_follows(o, before->event, now->event.warp, now->event.lane);
}

/* What happens before the access is represented by it from now on. */
static void keep(const struct order *o, const struct race_access *now, struct race_access *kept)
{
    if (follows(o, now, &kept[0])) {
        kept[0] = *now;
        if (follows(o, now, &kept[1]))
            kept[1].d = NULL;
    } else
        kept[1] = *now;
}

bool races_add(struct races *r, const struct order *o, uint32_t address, const struct race_access *now,
               struct race_access *other)
{
    struct race_cell *c = &r->cell[address / r->grain];
    bool race = find(o, now, c->write, other) || (now->writes && find(o, now, c->read, other));
    keep(o, now, now->writes ? c->write : c->read);
    for (int i = 0; now->writes && i < KEPT; i++)
        if (follows(o, now, &c->read[i]))
            c->read[i].d = NULL;
    return race;
}
