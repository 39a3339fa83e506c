/*
 * MESI with write-back L1s under an inclusive L2 (Sorin, Hill and Wood, A Primer on Memory Consistency and Cache
 * Coherence, 2011, sections 8.3 and 8.7.2, with all messages through the home).
 *
 * L1. Stable: I, S, E, M. S is evicted silently, so the home may list an L1 that has no copy. E and M are evicted with
 * a request (PUTE without the line, PUTX with it) and wait for WB_ACK in the write-back buffer, so the owner that the
 * home lists has the line, in the cache or in the buffer, and every recall finds it. Transient: IS (load sent), ISI
 * (the same, invalidated), IM (store or atomic sent), SM (the same, from S: an upgrade), MI and EI (evicted), II
 * (evicted and recalled). With atomics at L2: A (atomic sent), EA and MA (the same, the line is still owned).
 *
 * Home. NP (no copy anywhere), V (a copy in L2 only), S (copies in L2 and in listed L1s), MT (one L1 owns the line,
 * the copy in L2 may be old). Busy: F, FX, FA, FO fetch the line for a load, a write, an atomic, an access that is not
 * the protocol's; S* and M* have invalidated sharers or recalled the owner, for (S) a load, (X) a write, (U) an
 * upgrade, (A) an atomic, (R, O) a read or write that is not the protocol's, (E) an eviction; MU waits until the new
 * owner has its line.
 *
 * Races. The home, not the requester, collects acknowledgements, and then replies: an L1 never counts them. Without MU
 * a recall could reach the new owner before its line, since probes pass replies. DATA_S needs no such wait: an
 * invalidation that passes it finds IS, and the loads that the L1 had accepted by then perform once on the late line,
 * before the store that waits for this acknowledgement completes; later loads stall (ISI). An upgrade of an L1 that
 * has been invalidated meanwhile is a write request (`nonsharer`), and its line comes with the reply. A PUT that meets
 * a busy line waits; the recall is answered from the buffer (MI, EI), and the late PUT, of an L1 that is no owner any
 * more, only releases the buffer.
 */
#include "base/config/config.h"
#include "memsys/coherence/coherence.h"

enum { GETS, GETX, UPG, PUTX, PUTE, PUT_LATE, ATOM, DATA_S, DATA_E, DATA_M, UPG_ACK, WB_ACK, ATOM_ACK, INV, RECALL_S,
       RECALL_I, INV_ACK, RECALLED, RECALLED_CLEAN, UNBLOCK, MESSAGES };
enum { I, S, E, M, IS, ISI, IM, SM, MI, EI, II, A, EA, MA, L1_STATES };
enum { H_NP, H_V, H_S, H_MT, H_F, H_FX, H_FA, H_FO, H_SX, H_SU, H_SA, H_SO, H_SE, H_MS, H_MX, H_MA, H_MR, H_MO, H_ME,
       H_MU, HOME_STATES };
enum { INVALIDATED, STALE, RECALLS, DIRTY, UPGRADES, EXCLUSIVE, SILENT_WRITES, WRITEBACKS, CLEAN_EVICTIONS,
       SILENT_EVICTIONS, INCLUSION, COUNTERS };

/* Three virtual networks: requests; probes and acknowledgements; replies and notifications. */
static const struct coherence_message message[MESSAGES] = {
    [GETS] = { "GETS", COHERENCE_REQUEST, 0, COHERENCE_NO_PAYLOAD, 0 },
    [GETX] = { "GETX", COHERENCE_REQUEST, 0, COHERENCE_NO_PAYLOAD, 0 },
    [UPG] = { "UPG", COHERENCE_REQUEST, 0, COHERENCE_NO_PAYLOAD, GETX },
    [PUTX] = { "PUTX", COHERENCE_REQUEST, 0, COHERENCE_LINE, PUT_LATE },
    [PUTE] = { "PUTE", COHERENCE_REQUEST, 0, COHERENCE_NO_PAYLOAD, PUT_LATE },
    [PUT_LATE] = { "PUT of no owner", COHERENCE_REQUEST, 0, COHERENCE_NO_PAYLOAD, 0 },
    [ATOM] = { "ATOM", COHERENCE_REQUEST, 0, COHERENCE_ATOMIC, 0 },
    [DATA_S] = { "DATA_S", COHERENCE_REPLY, 2, COHERENCE_LINE, 0 },
    [DATA_E] = { "DATA_E", COHERENCE_REPLY, 2, COHERENCE_LINE, 0 },
    [DATA_M] = { "DATA_M", COHERENCE_REPLY, 2, COHERENCE_LINE, 0 },
    [UPG_ACK] = { "UPG_ACK", COHERENCE_REPLY, 2, COHERENCE_NO_PAYLOAD, 0 },
    [WB_ACK] = { "WB_ACK", COHERENCE_REPLY, 2, COHERENCE_NO_PAYLOAD, 0 },
    [ATOM_ACK] = { "ATOM_ACK", COHERENCE_REPLY, 2, COHERENCE_OLD_VALUES, 0 },
    [INV] = { "INV", COHERENCE_PROBE, 1, COHERENCE_NO_PAYLOAD, 0 },
    [RECALL_S] = { "RECALL_S", COHERENCE_PROBE, 1, COHERENCE_NO_PAYLOAD, 0 },
    [RECALL_I] = { "RECALL_I", COHERENCE_PROBE, 1, COHERENCE_NO_PAYLOAD, 0 },
    [INV_ACK] = { "INV_ACK", COHERENCE_ACK, 1, COHERENCE_NO_PAYLOAD, 0 },
    [RECALLED] = { "RECALLED", COHERENCE_ACK, 1, COHERENCE_LINE, 0 },
    [RECALLED_CLEAN] = { "RECALLED_CLEAN", COHERENCE_ACK, 1, COHERENCE_NO_PAYLOAD, 0 },
    [UNBLOCK] = { "UNBLOCK", COHERENCE_NOTIFICATION, 2, COHERENCE_NO_PAYLOAD, 0 },
};

static const char *const l1_names[] = { "I", "S", "E", "M", "IS", "ISI", "IM", "SM", "MI", "EI", "II", "A", "EA",
                                        "MA" };
static const char *const home_names[] = { "NP", "V", "S", "MT", "F", "FX", "FA", "FO", "SX", "SU", "SA", "SO", "SE",
                                          "MS", "MX", "MA", "MR", "MO", "ME", "MU" };

static const enum stat counter[COUNTERS] = {
    [INVALIDATED] = STAT_MESI_INVALIDATIONS, [STALE] = STAT_MESI_STALE_PROBES, [RECALLS] = STAT_MESI_RECALLS,
    [DIRTY] = STAT_MESI_RECALLED_DIRTY, [UPGRADES] = STAT_MESI_UPGRADES, [EXCLUSIVE] = STAT_MESI_EXCLUSIVE,
    [SILENT_WRITES] = STAT_MESI_SILENT_WRITES, [WRITEBACKS] = STAT_MESI_WRITEBACKS,
    [CLEAN_EVICTIONS] = STAT_MESI_CLEAN_EVICTIONS, [SILENT_EVICTIONS] = STAT_MESI_SILENT_EVICTIONS,
    [INCLUSION] = STAT_MESI_L2_EVICTIONS
};

#define ON(message) (L1_EVENTS + (message))
#define AT(message) (HOME_EVENTS + (message))
#define DO(...) { __VA_ARGS__ }

/* ---- L1 ---- */

#define MISS(next, request) { next, DO({ L1_ALLOCATE }, { L1_WAIT }, { L1_SEND, request }) }
#define UPGRADE { SM, DO({ L1_MSHR }, { L1_WAIT }, { L1_SEND, UPG }, { L1_COUNT, UPGRADES }) }
#define TO_L2(next) { next, DO({ L1_MSHR }, { L1_WAIT }, { L1_SEND, ATOM }) }
#define DROP_TO_L2 { A, DO({ L1_MSHR }, { L1_WAIT }, { L1_SEND, ATOM }, { L1_INVALIDATE }) }
#define HIT(state) { state, DO({ L1_HIT }) }
#define WRITE_E { M, DO({ L1_HIT }, { L1_COUNT, SILENT_WRITES }) }
#define ALL(state, action) [L1_LOAD] = { state, DO({ action }) }, [L1_STORE] = { state, DO({ action }) }, \
                           [L1_ATOMIC] = { state, DO({ action }) }
#define LOSE(next) { next, DO({ L1_ACK, INV_ACK }, { L1_COUNT, INVALIDATED }) }
#define NO_COPY(next) { next, DO({ L1_ACK, INV_ACK }, { L1_COUNT, STALE }) }
#define GIVE(next) { next, DO({ L1_ACK, RECALLED }, { L1_COUNT, RECALLS }, { L1_COUNT, DIRTY }) }
#define GIVE_CLEAN(next) { next, DO({ L1_ACK, RECALLED_CLEAN }, { L1_COUNT, RECALLS }) }
#define GIVE_UP { A, DO({ L1_ACK, RECALLED }, { L1_COUNT, RECALLS }, { L1_COUNT, DIRTY }, { L1_INVALIDATE }) }
#define GIVE_UP_CLEAN { A, DO({ L1_ACK, RECALLED_CLEAN }, { L1_COUNT, RECALLS }, { L1_INVALIDATE }) }
#define RECEIVE(next) { next, DO({ L1_FILL }, { L1_SEND, UNBLOCK }) }
#define RECEIVE_E { E, DO({ L1_FILL }, { L1_SEND, UNBLOCK }, { L1_COUNT, EXCLUSIVE }) }
#define RELEASED { I, DO({ L1_NOP }) }

/* The columns of an I, S, E and M line for an atomic. */
#define L1_ROWS(atomic_i, atomic_s, atomic_e, atomic_m) \
    [I] = { [L1_LOAD] = MISS(IS, GETS), [L1_STORE] = MISS(IM, GETX), [L1_ATOMIC] = atomic_i, [ON(INV)] = NO_COPY(I) }, \
    [S] = { [L1_LOAD] = HIT(S), [L1_STORE] = UPGRADE, [L1_ATOMIC] = atomic_s, \
            [L1_EVICT] = { I, DO({ L1_COUNT, SILENT_EVICTIONS }) }, [ON(INV)] = LOSE(I) }, \
    [E] = { [L1_LOAD] = HIT(E), [L1_STORE] = WRITE_E, [L1_ATOMIC] = atomic_e, \
            [L1_EVICT] = { EI, DO({ L1_BUFFER }, { L1_SEND, PUTE }, { L1_COUNT, CLEAN_EVICTIONS }) }, \
            [ON(RECALL_S)] = GIVE_CLEAN(S), [ON(RECALL_I)] = GIVE_CLEAN(I) }, \
    [M] = { [L1_LOAD] = HIT(M), [L1_STORE] = HIT(M), [L1_ATOMIC] = atomic_m, \
            [L1_EVICT] = { MI, DO({ L1_BUFFER }, { L1_SEND, PUTX }, { L1_COUNT, WRITEBACKS }) }, \
            [ON(RECALL_S)] = GIVE(S), [ON(RECALL_I)] = GIVE(I) }, \
    [IS] = { ALL(IS, L1_WAIT), [ON(INV)] = NO_COPY(ISI), [ON(DATA_S)] = { S, DO({ L1_FILL }) }, \
             [ON(DATA_E)] = RECEIVE_E }, \
    [ISI] = { ALL(ISI, L1_STALL), [ON(INV)] = NO_COPY(ISI), [ON(DATA_S)] = { I, DO({ L1_SERVE_LOADS }) }, \
              [ON(DATA_E)] = RECEIVE_E }, \
    [IM] = { ALL(IM, L1_WAIT), [ON(INV)] = NO_COPY(IM), [ON(DATA_M)] = RECEIVE(M) }, \
    [SM] = { ALL(SM, L1_WAIT), [ON(INV)] = LOSE(IM), [ON(UPG_ACK)] = { M, DO({ L1_SEND, UNBLOCK }) } }, \
    [MI] = { ALL(MI, L1_STALL), [ON(RECALL_S)] = GIVE(II), [ON(RECALL_I)] = GIVE(II), [ON(WB_ACK)] = RELEASED }, \
    [EI] = { ALL(EI, L1_STALL), [ON(RECALL_S)] = GIVE_CLEAN(II), [ON(RECALL_I)] = GIVE_CLEAN(II), \
             [ON(WB_ACK)] = RELEASED }, \
    [II] = { ALL(II, L1_STALL), [ON(INV)] = NO_COPY(II), [ON(WB_ACK)] = RELEASED }

static const struct coherence_row atomics_at_l1[L1_STATES][L1_EVENTS + MESSAGES] = {
    L1_ROWS(MISS(IM, GETX), UPGRADE, WRITE_E, HIT(M))
};

static const struct coherence_row atomics_at_l2[L1_STATES][L1_EVENTS + MESSAGES] = {
    L1_ROWS(TO_L2(A), DROP_TO_L2, TO_L2(EA), TO_L2(MA)),
    [A] = { ALL(A, L1_WAIT), [ON(INV)] = NO_COPY(A), [ON(ATOM_ACK)] = { I, DO({ L1_PERFORMED }) } },
    [EA] = { ALL(EA, L1_WAIT), [ON(RECALL_S)] = GIVE_UP_CLEAN, [ON(RECALL_I)] = GIVE_UP_CLEAN },
    [MA] = { ALL(MA, L1_WAIT), [ON(RECALL_S)] = GIVE_UP, [ON(RECALL_I)] = GIVE_UP },
};

/* ---- home ---- */

#define WAIT(message, state) [AT(message)] = { state, DO({ HOME_WAIT }) }
/* Requests that wait in every busy state; those of a listed L1 that wait while copies are invalidated; and recalled. */
#define BUSY(state) WAIT(GETS, state), WAIT(GETX, state), WAIT(PUT_LATE, state), WAIT(ATOM, state), \
                    [HOME_OTHER_READ] = { state, DO({ HOME_WAIT }) }, [HOME_OTHER_WRITE] = { state, DO({ HOME_WAIT }) }
#define PUTS(state) WAIT(PUTX, state), WAIT(PUTE, state)
#define INVALIDATING(state) BUSY(state), PUTS(state), WAIT(UPG, state), [AT(INV_ACK)] = { state, DO({ HOME_NOP }) }
#define RECALLING(state) BUSY(state), PUTS(state), [AT(RECALLED)] = { state, DO({ HOME_UPDATE }) }, \
                         [AT(RECALLED_CLEAN)] = { state, DO({ HOME_NOP }) }

#define LATE(state) [AT(PUT_LATE)] = { state, DO({ HOME_REPLY, WB_ACK }) }
#define GRANT(reply) { H_MU, DO({ HOME_OWN }, { HOME_REPLY, reply }) }
#define GRANT_NOW(reply) { H_MU, DO({ HOME_MSHR }, { HOME_OWN }, { HOME_REPLY, reply }) }
#define SHARE { H_S, DO({ HOME_SHARE }, { HOME_REPLY, DATA_S }) }
#define OPERATE { H_V, DO({ HOME_CLEAR }, { HOME_ATOMIC, ATOM_ACK }) }
#define PERFORM(state) { state, DO({ HOME_PERFORM }) }
#define PERFORM_ALONE { H_V, DO({ HOME_CLEAR }, { HOME_PERFORM }) }
#define GONE { H_NP, DO({ HOME_CLEAR }) }
#define PROBE(state, probe) { state, DO({ HOME_MSHR }, { HOME_PROBE, probe }) }
#define PROBE_OTHERS(state) { state, DO({ HOME_MSHR }, { HOME_PROBE_OTHERS, INV }) }
#define PROBE_EVICT(state, probe) { state, DO({ HOME_MSHR }, { HOME_PROBE, probe }, { HOME_COUNT, INCLUSION }) }
#define UNLIST { H_S, DO({ HOME_UNSHARE }, { HOME_REPLY, WB_ACK }) }

static const struct coherence_row home[HOME_STATES][HOME_EVENTS + MESSAGES] = {
    [H_NP] = { [AT(GETS)] = { H_F, DO({ HOME_FETCH }) }, [AT(GETX)] = { H_FX, DO({ HOME_FETCH }) },
               [AT(ATOM)] = { H_FA, DO({ HOME_FETCH }) }, LATE(H_NP), [HOME_OTHER_READ] = { H_FO, DO({ HOME_FETCH }) },
               [HOME_OTHER_WRITE] = { H_FO, DO({ HOME_FETCH }) } },
    [H_V] = { [HOME_EVICT] = { H_NP, DO({ HOME_NOP }) }, [AT(GETS)] = GRANT_NOW(DATA_E), [AT(GETX)] = GRANT_NOW(DATA_M),
              [AT(ATOM)] = OPERATE, LATE(H_V), [HOME_OTHER_READ] = PERFORM(H_V), [HOME_OTHER_WRITE] = PERFORM(H_V) },
    [H_S] = { [HOME_EVICT] = PROBE_EVICT(H_SE, INV), [AT(GETS)] = SHARE, [AT(GETX)] = PROBE_OTHERS(H_SX),
              [AT(UPG)] = PROBE_OTHERS(H_SU), [AT(ATOM)] = PROBE(H_SA, INV), [AT(PUTX)] = UNLIST, [AT(PUTE)] = UNLIST,
              LATE(H_S), [HOME_OTHER_READ] = PERFORM(H_S), [HOME_OTHER_WRITE] = PROBE(H_SO, INV) },
    [H_MT] = { [HOME_EVICT] = PROBE_EVICT(H_ME, RECALL_I), [AT(GETS)] = PROBE(H_MS, RECALL_S),
               [AT(GETX)] = PROBE(H_MX, RECALL_I), [AT(ATOM)] = PROBE(H_MA, RECALL_I),
               [AT(PUTX)] = { H_V, DO({ HOME_UPDATE }, { HOME_CLEAR }, { HOME_REPLY, WB_ACK }) },
               [AT(PUTE)] = { H_V, DO({ HOME_CLEAR }, { HOME_REPLY, WB_ACK }) }, LATE(H_MT),
               [HOME_OTHER_READ] = PROBE(H_MR, RECALL_S), [HOME_OTHER_WRITE] = PROBE(H_MO, RECALL_I) },
    [H_F] = { BUSY(H_F), [HOME_FILLED] = GRANT(DATA_E), [HOME_FILLED_AGAIN] = SHARE },
    [H_FX] = { BUSY(H_FX), [HOME_FILLED] = GRANT(DATA_M) },
    [H_FA] = { BUSY(H_FA), [HOME_FILLED] = OPERATE },
    [H_FO] = { BUSY(H_FO), [HOME_FILLED] = PERFORM(H_V) },
    [H_SX] = { INVALIDATING(H_SX), [HOME_ACKED] = GRANT(DATA_M) },
    [H_SU] = { INVALIDATING(H_SU), [HOME_ACKED] = GRANT(UPG_ACK) },
    [H_SA] = { INVALIDATING(H_SA), [HOME_ACKED] = OPERATE },
    [H_SO] = { INVALIDATING(H_SO), [HOME_ACKED] = PERFORM_ALONE },
    [H_SE] = { INVALIDATING(H_SE), [HOME_ACKED] = GONE },
    [H_MS] = { RECALLING(H_MS), WAIT(UPG, H_MS), [HOME_ACKED] = SHARE },
    [H_MX] = { RECALLING(H_MX), [HOME_ACKED] = GRANT(DATA_M) },
    [H_MA] = { RECALLING(H_MA), [HOME_ACKED] = OPERATE },
    [H_MR] = { RECALLING(H_MR), WAIT(UPG, H_MR), [HOME_ACKED] = PERFORM(H_S) },
    [H_MO] = { RECALLING(H_MO), [HOME_ACKED] = PERFORM_ALONE },
    [H_ME] = { RECALLING(H_ME), [HOME_ACKED] = GONE },
    [H_MU] = { BUSY(H_MU), PUTS(H_MU), [AT(UNBLOCK)] = { H_MT, DO({ HOME_NOP }) } },
};

#define MESI(table) \
    .name = "mesi", .message = message, .messages = MESSAGES, .l1_state = l1_names, .home_state = home_names, \
    .l1_states = L1_STATES, .l1_stable = IS, .home_states = HOME_STATES, .home_stable = H_F, .l1 = &table[0][0], \
    .home = &home[0][0], .counter = counter, .counters = COUNTERS
static const struct coherence with_atomics_at_l2 = { MESI(atomics_at_l2) };
extern const struct coherence coherence_mesi;

static const struct coherence *variant(const struct simtx_config *config)
{
    bool at_l2 = config_choice(config, KEY_MESI_ATOMICS) == MESI_ATOMICS_L2;
    return at_l2 ? &with_atomics_at_l2 : &coherence_mesi;
}

const struct coherence coherence_mesi = { MESI(atomics_at_l1), .variant = variant };
