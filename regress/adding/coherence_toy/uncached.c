/*
 * The smallest protocol: no L1 keeps a global line. The home performs each access; accesses of an SM to a line with a
 * request in flight stall (loads) or wait (after stores and atomics). L1 states: I; R, W, A (a load, a store, an atomic
 * is at the home). Home states: NP (not in the L2), V; F, FW, FA (the line is fetched for one of these), FO
 * (for an access that is not the protocol's). There are no sharers, and so no probes.
 */
#include "base/config/config.h"
#include "memsys/coherence/coherence.h"

enum { READ, WRITE, ATOM, DATA, WRITE_ACK, ATOM_ACK, MESSAGES };
enum { I, R, W, A, L1_STATES };
enum { NP, V, F, FW, FA, FO, HOME_STATES };
enum { LOADS, COUNTERS };

/* The replies' virtual network is vn. */
#define MESSAGES_WITH(vn) { \
    [READ] = { "READ", COHERENCE_REQUEST, 0, COHERENCE_NO_PAYLOAD, 0 }, \
    [WRITE] = { "WRITE", COHERENCE_REQUEST, 0, COHERENCE_STORE, 0 }, \
    [ATOM] = { "ATOM", COHERENCE_REQUEST, 0, COHERENCE_ATOMIC, 0 }, \
    [DATA] = { "DATA", COHERENCE_REPLY, vn, COHERENCE_LINE, 0 }, \
    [WRITE_ACK] = { "WRITE_ACK", COHERENCE_REPLY, vn, COHERENCE_NO_PAYLOAD, 0 }, \
    [ATOM_ACK] = { "ATOM_ACK", COHERENCE_REPLY, vn, COHERENCE_OLD_VALUES, 0 }, \
}
static const struct coherence_message shared[MESSAGES] = MESSAGES_WITH(0), own[MESSAGES] = MESSAGES_WITH(1);

static const char *const l1_names[] = { "I", "R", "W", "A" };
static const char *const home_names[] = { "NP", "V", "F", "FW", "FA", "FO" };
static const enum stat counter[COUNTERS] = { [LOADS] = STAT_UNCACHED_LOADS };

#define ON(message) (L1_EVENTS + (message))
#define AT(message) (HOME_EVENTS + (message))
#define DO(...) { __VA_ARGS__ }
#define SENDS(state, request) { state, DO({ L1_MSHR }, { L1_WAIT }, { L1_SEND, request }) }
#define ALL(state, action) [L1_LOAD] = { state, DO({ action }) }, [L1_STORE] = { state, DO({ action }) }, \
                           [L1_ATOMIC] = { state, DO({ action }) }

/* A load that joined the entry in R could be served with bytes that are older than it. */
static const struct coherence_row l1[L1_STATES][L1_EVENTS + MESSAGES] = {
    [I] = { [L1_LOAD] = SENDS(R, READ), [L1_STORE] = SENDS(W, WRITE), [L1_ATOMIC] = SENDS(A, ATOM) },
    [R] = { ALL(R, L1_STALL), [ON(DATA)] = { I, DO({ L1_SERVE_LOADS }, { L1_COUNT, LOADS }) } },
    [W] = { ALL(W, L1_WAIT), [ON(WRITE_ACK)] = { I, DO({ L1_PERFORMED }) } },
    [A] = { ALL(A, L1_WAIT), [ON(ATOM_ACK)] = { I, DO({ L1_PERFORMED }) } },
};

#define READS { V, DO({ HOME_REPLY, DATA }) }
#define WRITES { V, DO({ HOME_WRITE }, { HOME_REPLY, WRITE_ACK }) }
#define OPERATES { V, DO({ HOME_ATOMIC, ATOM_ACK }) }
#define BUSY(state) [AT(READ)] = { state, DO({ HOME_WAIT }) }, [AT(WRITE)] = { state, DO({ HOME_WAIT }) }, \
                    [AT(ATOM)] = { state, DO({ HOME_WAIT }) }, [HOME_OTHER_READ] = { state, DO({ HOME_WAIT }) }, \
                    [HOME_OTHER_WRITE] = { state, DO({ HOME_WAIT }) }
#define PERFORMS { V, DO({ HOME_PERFORM }) }

static const struct coherence_row home[HOME_STATES][HOME_EVENTS + MESSAGES] = {
    [NP] = { [AT(READ)] = { F, DO({ HOME_FETCH }) }, [AT(WRITE)] = { FW, DO({ HOME_FETCH }) },
             [AT(ATOM)] = { FA, DO({ HOME_FETCH }) }, [HOME_OTHER_READ] = { FO, DO({ HOME_FETCH }) },
             [HOME_OTHER_WRITE] = { FO, DO({ HOME_FETCH }) } },
    [V] = { [HOME_EVICT] = { NP, DO({ HOME_NOP }) }, [AT(READ)] = READS, [AT(WRITE)] = WRITES, [AT(ATOM)] = OPERATES,
            [HOME_OTHER_READ] = PERFORMS, [HOME_OTHER_WRITE] = PERFORMS },
    [F] = { BUSY(F), [HOME_FILLED] = READS },
    [FW] = { BUSY(FW), [HOME_FILLED] = WRITES },
    [FA] = { BUSY(FA), [HOME_FILLED] = OPERATES },
    [FO] = { BUSY(FO), [HOME_FILLED] = PERFORMS },
};

#define TABLES(table) \
    .name = "uncached", .message = table, .messages = MESSAGES, .l1_state = l1_names, .home_state = home_names, \
    .l1_states = L1_STATES, .l1_stable = R, .home_states = HOME_STATES, .home_stable = F, .l1 = &l1[0][0], \
    .home = &home[0][0], .counter = counter, .counters = COUNTERS
static const struct coherence with_own_network = { TABLES(own) };
extern const struct coherence coherence_uncached;

static const struct coherence *variant(const struct simtx_config *config)
{
    return config_bool(config, KEY_UNCACHED_NETWORK) ? &with_own_network : &coherence_uncached;
}

const struct coherence coherence_uncached = { TABLES(shared), .variant = variant };
