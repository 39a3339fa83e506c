/* The random tester: what the states of the protocols mean, runs, sums. */
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "base/config/config.h"
#include "base/diag.h"
#include "consistency/protocols.h"
#include "regress/coherence/tester.h"

/* Names of states and messages, separated by blanks. */
struct known {
    const char *name, *settings[2][2];
    bool through;
    const char *readers, *owners, *current, *late_state, *late_message;
    const struct coverage_excuse *excuses;
};

static const struct coverage_excuse mesi[] = {
    { true, "SU", "PUT of no owner", "the PUT would have to be slower than a write by a second L1, which removes its "
      "sender from the sharers, a load by a third one and that one's upgrade" }, { 0 }
};
static const struct coverage_excuse none[] = { { 0 } };

#define MESI_STATES .readers = "S SM", .owners = "E M EA MA", .current = "V S", .late_state = "ISI", \
                    .late_message = "DATA_S"
static const struct known PROTOCOLS[TESTER_PROTOCOLS] = {
    { "mesi", { { "coherence.protocol", "mesi" }, { "mesi.atomics", "l1" } }, .excuses = mesi, MESI_STATES },
    { "mesi, atomics at L2", { { "coherence.protocol", "mesi" }, { "mesi.atomics", "l2" } }, .excuses = mesi,
      MESI_STATES },
    { "write-through", { { "coherence.protocol", "write-through" }, { "mesi.atomics", "l1" } }, .through = true,
      .readers = "V VW", .owners = "", .current = "", .late_state = "IVI", .late_message = "DATA", .excuses = none },
};

static bool among(const char *names, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += n)
        if ((at == names || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

static uint64_t set_of(const char *const *states, uint32_t n, const char *names)
{
    uint64_t set = 0;
    for (uint32_t s = 0; s < n; s++)
        set |= (uint64_t)among(names, states[s]) << s;
    return set;
}

static unsigned message_of(const struct coherence *p, const char *name)
{
    unsigned i = 0;
    while (strcmp(p->message[i].name, name))
        i++;
    return i;
}

static const struct coherence *protocol_of(const struct known *k)
{
    struct simtx_config *c = config_new();
    struct diag d = { 0 };
    for (unsigned i = 0; i < 2; i++)
        assert_true(config_set(c, k->settings[i][0], k->settings[i][1], "test", NULL, &d, 0));
    const struct coherence *p = coherence_of(c);
    config_free(c);
    return p;
}

void tester_open(struct tester *t, unsigned n)
{
    const struct known *k = &PROTOCOLS[n];
    const struct coherence *p = protocol_of(k);
    memset(t, 0, sizeof *t);
    t->name = k->name;
    t->excuses = k->excuses;
    t->states = (struct rig_protocol){
        .p = p, .through = k->through, .late_message = message_of(p, k->late_message),
        .late_state = (unsigned)__builtin_ctzll(set_of(p->l1_state, p->l1_states, k->late_state)),
        .readers = set_of(p->l1_state, p->l1_states, k->readers),
        .owners = set_of(p->l1_state, p->l1_states, k->owners),
        .current = set_of(p->home_state, p->home_states, k->current), .others = true
    };
}

/* Two kernels, the second one on L2s that the first one left as they were. */
void tester_run_one(struct tester *t, unsigned size, uint64_t seed)
{
    static struct rig rig;
    rig_start(&rig, &t->states, &rig_sizes[size], seed, false);
    rig_traffic(&rig, 150);
    rig_rest(&rig, false);
    rig_traffic(&rig, 50);
    rig_rest(&rig, true);
    for (unsigned k = 0; k < ROWS_MAX; k++) {
        t->home_seen[k] += rig.home_seen[k];
        for (uint32_t i = 0; i < rig_sizes[size].nodes; i++)
            t->l1_seen[k] += rig.node[i].seen[k];
    }
    t->runs++;
    t->loads += rig.loads;
    t->late += rig.late;
    rig_end(&rig);
}

void tester_run(struct tester *t, uint64_t seed)
{
    for (unsigned i = 0; i < RIG_SIZES; i++)
        tester_run_one(t, i, seed);
}
