/*
 * Write-through: L1 has V (a copy) or I. A store goes to the home, which invalidates all other copies, performs it, and
 * acknowledges; until then its line waits, so nobody of its SM sees it before others can. States: IV (reads), IVI (the
 * same, invalidated), W (a store is out), VW (the same, with a copy), A (an atomic is out). The home is busy with a
 * store until all copies are gone: X (others invalidated), XA (all), E (evicted), F, FW, FA (fetches).
 */
#include "regress/coherence/toys.h"

enum { READ, WRITE, ATOM, DATA, WRITE_ACK, ATOM_ACK, INV, INV_ACK, MESSAGES };
enum { I, V, IV, IVI, W, VW, A, L1_STATES };
enum { H_NP, H_S, H_F, H_FW, H_FA, H_X, H_XA, H_E, HOME_STATES };

_Static_assert((int)V == THROUGH_V && (int)IVI == THROUGH_IVI && (int)DATA == THROUGH_DATA, "toys.h");

static const struct coherence_message message[MESSAGES] = {
    [READ] = { "READ", COHERENCE_REQUEST, 0, COHERENCE_NO_PAYLOAD, 0 },
    [WRITE] = { "WRITE", COHERENCE_REQUEST, 0, COHERENCE_STORE, 0 },
    [ATOM] = { "ATOM", COHERENCE_REQUEST, 0, COHERENCE_ATOMIC, 0 },
    [DATA] = { "DATA", COHERENCE_REPLY, 0, COHERENCE_LINE, 0 },
    [WRITE_ACK] = { "WRITE_ACK", COHERENCE_REPLY, 0, COHERENCE_NO_PAYLOAD, 0 },
    [ATOM_ACK] = { "ATOM_ACK", COHERENCE_REPLY, 0, COHERENCE_OLD_VALUES, 0 },
    [INV] = { "INV", COHERENCE_PROBE, 1, COHERENCE_NO_PAYLOAD, 0 },
    [INV_ACK] = { "INV_ACK", COHERENCE_ACK, 1, COHERENCE_NO_PAYLOAD, 0 },
};

static const char *const l1_names[] = { "I", "V", "IV", "IVI", "W", "VW", "A" };
static const char *const home_names[] = { "NP", "S", "F", "FW", "FA", "X", "XA", "E" };

#define ON(message) (L1_EVENTS + (message))
#define AT(message) (HOME_EVENTS + (message))
#define DO(...) { __VA_ARGS__ }
#define WAITS(state) [L1_LOAD] = { state, DO({ L1_WAIT }) }, [L1_STORE] = { state, DO({ L1_WAIT }) }, \
                     [L1_ATOMIC] = { state, DO({ L1_WAIT }) }
#define ACK(state) { state, DO({ L1_ACK, INV_ACK }) }
#define SENDS(state, request) { state, DO({ L1_MSHR }, { L1_WAIT }, { L1_SEND, request }) }

static const struct coherence_row l1[L1_STATES][L1_EVENTS + MESSAGES] = {
    [I] = { [L1_LOAD] = { IV, DO({ L1_ALLOCATE }, { L1_WAIT }, { L1_SEND, READ }) }, [L1_STORE] = SENDS(W, WRITE),
            [L1_ATOMIC] = SENDS(A, ATOM), [ON(INV)] = ACK(I) },
    [V] = { [L1_LOAD] = { V, DO({ L1_HIT }) }, [L1_STORE] = SENDS(VW, WRITE),
            [L1_ATOMIC] = { A, DO({ L1_MSHR }, { L1_WAIT }, { L1_SEND, ATOM }, { L1_INVALIDATE }) },
            [L1_EVICT] = { I, DO({ L1_NOP }) }, [ON(INV)] = ACK(I) },
    [IV] = { WAITS(IV), [ON(DATA)] = { V, DO({ L1_FILL }) }, [ON(INV)] = ACK(IVI) },
    [IVI] = { [L1_LOAD] = { IVI, DO({ L1_STALL }) }, [L1_STORE] = { IVI, DO({ L1_STALL }) },
              [L1_ATOMIC] = { IVI, DO({ L1_STALL }) }, [ON(DATA)] = { I, DO({ L1_SERVE_LOADS }) },
              [ON(INV)] = ACK(IVI) },
    [W] = { WAITS(W), [ON(WRITE_ACK)] = { I, DO({ L1_PERFORMED }) }, [ON(INV)] = ACK(W) },
    [VW] = { WAITS(VW), [ON(WRITE_ACK)] = { V, DO({ L1_PERFORMED }) },
             [ON(INV)] = { W, DO({ L1_ACK, INV_ACK }, { L1_INVALIDATE }) } },
    [A] = { WAITS(A), [ON(ATOM_ACK)] = { I, DO({ L1_PERFORMED }) }, [ON(INV)] = ACK(A) },
};

#define BUSY(state) [AT(READ)] = { state, DO({ HOME_WAIT }) }, [AT(WRITE)] = { state, DO({ HOME_WAIT }) }, \
                    [AT(ATOM)] = { state, DO({ HOME_WAIT }) }
#define WRITES { H_S, DO({ HOME_WRITE }, { HOME_REPLY, WRITE_ACK }) }
#define OPERATES { H_S, DO({ HOME_CLEAR }, { HOME_ATOMIC, ATOM_ACK }) }

static const struct coherence_row home[HOME_STATES][HOME_EVENTS + MESSAGES] = {
    [H_NP] = { [AT(READ)] = { H_F, DO({ HOME_FETCH }) }, [AT(WRITE)] = { H_FW, DO({ HOME_FETCH }) },
               [AT(ATOM)] = { H_FA, DO({ HOME_FETCH }) } },
    [H_S] = { [HOME_EVICT] = { H_E, DO({ HOME_MSHR }, { HOME_PROBE, INV }) },
              [AT(READ)] = { H_S, DO({ HOME_SHARE }, { HOME_REPLY, DATA }) },
              [AT(WRITE)] = { H_X, DO({ HOME_MSHR }, { HOME_PROBE_OTHERS, INV }) },
              [AT(ATOM)] = { H_XA, DO({ HOME_MSHR }, { HOME_PROBE, INV }) } },
    [H_F] = { BUSY(H_F), [HOME_FILLED] = { H_S, DO({ HOME_OWN }, { HOME_REPLY, DATA }) } },
    [H_FW] = { BUSY(H_FW), [HOME_FILLED] = WRITES },
    [H_FA] = { BUSY(H_FA), [HOME_FILLED] = OPERATES },
    [H_X] = { BUSY(H_X), [AT(INV_ACK)] = { H_X, DO({ HOME_UNSHARE }) }, [HOME_ACKED] = WRITES },
    [H_XA] = { BUSY(H_XA), [AT(INV_ACK)] = { H_XA, DO({ HOME_UNSHARE }) }, [HOME_ACKED] = OPERATES },
    [H_E] = { BUSY(H_E), [AT(INV_ACK)] = { H_E, DO({ HOME_UNSHARE }) }, [HOME_ACKED] = { H_NP, DO({ HOME_NOP }) } },
};

const struct coherence toy_through = {
    .name = "write-through", .message = message, .messages = MESSAGES, .l1_state = l1_names, .home_state = home_names,
    .l1_states = L1_STATES, .l1_stable = IV, .home_states = HOME_STATES, .home_stable = H_F,
    .l1 = &l1[0][0], .home = &home[0][0]
};
