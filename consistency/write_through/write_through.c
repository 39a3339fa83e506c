/*
 * Write-through L1s without allocation of stores, kept coherent by invalidation: an L1 line is valid (V) or invalid
 * (I), and every store and atomic performs in the inclusive L2, the home, which lists the L1s that may have a copy.
 *
 * A store is performed when the home has collected the acknowledgements of all other copies. Until then the line is
 * busy at the home, so that no other SM reads the new value; and at the writer its accesses wait in the MSHR entry
 * until WRITE_ACK, so that no other warp of the SM does (with either, two SMs could see two stores in different
 * orders: IRIW). The writer's copy is updated by WRITE_ACK: before, the update cannot be read. So an invalidation
 * that finds a pending store drops the copy at once, and there is one store of an L1 to a line in flight. The writer
 * stays listed.
 *
 * L1, transient: IV (load sent), IVI (the same, invalidated: the waiting loads perform once on the late line, as in
 * MESI), W and VW (store sent, without and with a copy), A (atomic sent; the copy is dropped). Copies are evicted
 * silently. Home: NP (not in L2), V (no L1 has a copy), S (listed L1s may have); FR, FW, FA, FO fetch the line for a
 * load, a store, an atomic, an access that is not the protocol's; SW, SA, SO, SE invalidate, for a store, an atomic, a
 * write that is not the protocol's, an eviction. No grant needs an UNBLOCK: a reply that an invalidation passes is
 * harmless in each of IV, W, VW and A.
 */
#include "memsys/coherence/coherence.h"

enum { READ, WRITE, ATOM, DATA, WRITE_ACK, ATOM_ACK, INV, INV_ACK, MESSAGES };
enum { I, V, IV, IVI, W, VW, A, L1_STATES };
enum { H_NP, H_V, H_S, H_FR, H_FW, H_FA, H_FO, H_SW, H_SA, H_SO, H_SE, HOME_STATES };
enum { INVALIDATED, STALE, WRITES_HIT, WRITES_MISSED, SHARED_WRITES, SILENT_EVICTIONS, INCLUSION, COUNTERS };

/* Three virtual networks: requests; probes and acknowledgements; replies. */
static const struct coherence_message message[MESSAGES] = {
    [READ] = { "READ", COHERENCE_REQUEST, 0, COHERENCE_NO_PAYLOAD, 0 },
    [WRITE] = { "WRITE", COHERENCE_REQUEST, 0, COHERENCE_STORE, 0 },
    [ATOM] = { "ATOM", COHERENCE_REQUEST, 0, COHERENCE_ATOMIC, 0 },
    [DATA] = { "DATA", COHERENCE_REPLY, 2, COHERENCE_LINE, 0 },
    [WRITE_ACK] = { "WRITE_ACK", COHERENCE_REPLY, 2, COHERENCE_NO_PAYLOAD, 0 },
    [ATOM_ACK] = { "ATOM_ACK", COHERENCE_REPLY, 2, COHERENCE_OLD_VALUES, 0 },
    [INV] = { "INV", COHERENCE_PROBE, 1, COHERENCE_NO_PAYLOAD, 0 },
    [INV_ACK] = { "INV_ACK", COHERENCE_ACK, 1, COHERENCE_NO_PAYLOAD, 0 },
};

static const char *const l1_names[] = { "I", "V", "IV", "IVI", "W", "VW", "A" };
static const char *const home_names[] = { "NP", "V", "S", "FR", "FW", "FA", "FO", "SW", "SA", "SO", "SE" };

static const enum stat counter[COUNTERS] = {
    [INVALIDATED] = STAT_WT_INVALIDATIONS, [STALE] = STAT_WT_STALE_PROBES, [WRITES_HIT] = STAT_WT_WRITES_HIT,
    [WRITES_MISSED] = STAT_WT_WRITES_MISSED, [SHARED_WRITES] = STAT_WT_SHARED_WRITES,
    [SILENT_EVICTIONS] = STAT_WT_SILENT_EVICTIONS, [INCLUSION] = STAT_WT_L2_EVICTIONS
};

#define ON(message) (L1_EVENTS + (message))
#define AT(message) (HOME_EVENTS + (message))
#define DO(...) { __VA_ARGS__ }

/* ---- L1 ---- */

#define ALL(state, action) [L1_LOAD] = { state, DO({ action }) }, [L1_STORE] = { state, DO({ action }) }, \
                           [L1_ATOMIC] = { state, DO({ action }) }
#define SENDS(state, request, count) { state, DO({ L1_MSHR }, { L1_WAIT }, { L1_SEND, request }, { L1_COUNT, count }) }
#define LOSE(next) { next, DO({ L1_ACK, INV_ACK }, { L1_INVALIDATE }, { L1_COUNT, INVALIDATED }) }
#define NO_COPY(next) { next, DO({ L1_ACK, INV_ACK }, { L1_COUNT, STALE }) }
#define DONE(next) { next, DO({ L1_PERFORMED }) }

static const struct coherence_row l1[L1_STATES][L1_EVENTS + MESSAGES] = {
    [I] = { [L1_LOAD] = { IV, DO({ L1_ALLOCATE }, { L1_WAIT }, { L1_SEND, READ }) },
            [L1_STORE] = SENDS(W, WRITE, WRITES_MISSED),
            [L1_ATOMIC] = { A, DO({ L1_MSHR }, { L1_WAIT }, { L1_SEND, ATOM }) }, [ON(INV)] = NO_COPY(I) },
    [V] = { [L1_LOAD] = { V, DO({ L1_HIT }) }, [L1_STORE] = SENDS(VW, WRITE, WRITES_HIT),
            [L1_ATOMIC] = { A, DO({ L1_MSHR }, { L1_WAIT }, { L1_SEND, ATOM }, { L1_INVALIDATE }) },
            [L1_EVICT] = { I, DO({ L1_COUNT, SILENT_EVICTIONS }) }, [ON(INV)] = LOSE(I) },
    [IV] = { ALL(IV, L1_WAIT), [ON(DATA)] = { V, DO({ L1_FILL }) }, [ON(INV)] = NO_COPY(IVI) },
    [IVI] = { ALL(IVI, L1_STALL), [ON(DATA)] = { I, DO({ L1_SERVE_LOADS }) }, [ON(INV)] = NO_COPY(IVI) },
    [W] = { ALL(W, L1_WAIT), [ON(WRITE_ACK)] = DONE(I), [ON(INV)] = NO_COPY(W) },
    [VW] = { ALL(VW, L1_WAIT), [ON(WRITE_ACK)] = DONE(V), [ON(INV)] = LOSE(W) },
    [A] = { ALL(A, L1_WAIT), [ON(ATOM_ACK)] = DONE(I), [ON(INV)] = NO_COPY(A) },
};

/* ---- home ---- */

#define WAIT(message, state) [AT(message)] = { state, DO({ HOME_WAIT }) }
#define BUSY(state) WAIT(READ, state), WAIT(WRITE, state), WAIT(ATOM, state), \
                    [HOME_OTHER_READ] = { state, DO({ HOME_WAIT }) }, [HOME_OTHER_WRITE] = { state, DO({ HOME_WAIT }) }
#define INVALIDATING(state) BUSY(state), [AT(INV_ACK)] = { state, DO({ HOME_UNSHARE }) }
#define FETCH(state) { state, DO({ HOME_FETCH }) }
#define SHARE { H_S, DO({ HOME_SHARE }, { HOME_REPLY, DATA }) }
#define STORE(next) { next, DO({ HOME_WRITE }, { HOME_REPLY, WRITE_ACK }) }
#define OPERATE { H_V, DO({ HOME_ATOMIC, ATOM_ACK }) }
#define PERFORM(state) { state, DO({ HOME_PERFORM }) }
#define PROBE(state) { state, DO({ HOME_MSHR }, { HOME_PROBE, INV }, { HOME_COUNT, SHARED_WRITES }) }

static const struct coherence_row home[HOME_STATES][HOME_EVENTS + MESSAGES] = {
    [H_NP] = { [AT(READ)] = FETCH(H_FR), [AT(WRITE)] = FETCH(H_FW), [AT(ATOM)] = FETCH(H_FA),
               [HOME_OTHER_READ] = FETCH(H_FO), [HOME_OTHER_WRITE] = FETCH(H_FO) },
    [H_V] = { [HOME_EVICT] = { H_NP, DO({ HOME_NOP }) }, [AT(READ)] = SHARE, [AT(WRITE)] = STORE(H_V),
              [AT(ATOM)] = OPERATE, [HOME_OTHER_READ] = PERFORM(H_V), [HOME_OTHER_WRITE] = PERFORM(H_V) },
    [H_S] = { [HOME_EVICT] = { H_SE, DO({ HOME_MSHR }, { HOME_PROBE, INV }, { HOME_COUNT, INCLUSION }) },
              [AT(READ)] = SHARE,
              [AT(WRITE)] = { H_SW, DO({ HOME_MSHR }, { HOME_PROBE_OTHERS, INV }, { HOME_COUNT, SHARED_WRITES }) },
              [AT(ATOM)] = PROBE(H_SA), [HOME_OTHER_READ] = PERFORM(H_S), [HOME_OTHER_WRITE] = PROBE(H_SO) },
    [H_FR] = { BUSY(H_FR), [HOME_FILLED] = SHARE },
    [H_FW] = { BUSY(H_FW), [HOME_FILLED] = STORE(H_V) },
    [H_FA] = { BUSY(H_FA), [HOME_FILLED] = OPERATE },
    [H_FO] = { BUSY(H_FO), [HOME_FILLED] = PERFORM(H_V) },
    [H_SW] = { INVALIDATING(H_SW), [HOME_ACKED] = STORE(H_S) },
    [H_SA] = { INVALIDATING(H_SA), [HOME_ACKED] = OPERATE },
    [H_SO] = { INVALIDATING(H_SO), [HOME_ACKED] = PERFORM(H_V) },
    [H_SE] = { INVALIDATING(H_SE), [HOME_ACKED] = { H_NP, DO({ HOME_NOP }) } },
};

const struct coherence coherence_write_through = {
    .name = "write-through", .message = message, .messages = MESSAGES, .l1_state = l1_names, .home_state = home_names,
    .l1_states = L1_STATES, .l1_stable = IV, .home_states = HOME_STATES, .home_stable = H_FR, .l1 = &l1[0][0],
    .home = &home[0][0], .counter = counter, .counters = COUNTERS
};
