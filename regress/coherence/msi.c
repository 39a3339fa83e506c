/*
 * MSI. L1: I, S, M; IS (reads), ISI (the same, invalidated: loads that wait are served once), IM (writes), SM (the
 * same, from S), MI (written back), II (the same, and recalled), A and MA (an atomic is at the home). Home: NP (no copy
 * anywhere), V (a copy in the L2), S, M; F, FX, FA (fetches), SX, SA, SE (invalidates), MS, MX, MA, ME (recalls), MU
 * (waits for the new owner to have its line).
 */
#include "regress/coherence/toys.h"

enum { GETS, GETX, PUTX, PUTX_LATE, ATOM, DATA_S, DATA_M, WB_ACK, ATOM_ACK, INV, RECALL_S, RECALL_I, INV_ACK, RECALLED,
       UNBLOCK, MESSAGES };
enum { I, S, M, IS, ISI, IM, SM, MI, II, A, MA, L1_STATES };
enum { H_NP, H_V, H_S, H_M, H_F, H_FX, H_FA, H_SX, H_SA, H_SE, H_MS, H_MX, H_MA, H_ME, H_MU, HOME_STATES };

_Static_assert((int)S == MSI_S && (int)M == MSI_M && (int)H_V == MSI_HOME_V && (int)H_S == MSI_HOME_S, "toys.h");
_Static_assert((int)ISI == MSI_ISI && (int)DATA_S == MSI_DATA_S && (int)INV == MSI_INV && (int)INV_ACK == MSI_INV_ACK,
               "toys.h");

static const struct coherence_message message[MESSAGES] = {
    [GETS] = { "GETS", COHERENCE_REQUEST, 0, COHERENCE_NO_PAYLOAD, 0 },
    [GETX] = { "GETX", COHERENCE_REQUEST, 0, COHERENCE_NO_PAYLOAD, 0 },
    [PUTX] = { "PUTX", COHERENCE_REQUEST, 0, COHERENCE_LINE, PUTX_LATE },
    [PUTX_LATE] = { "PUTX of no owner", COHERENCE_REQUEST, 0, COHERENCE_LINE, 0 },
    [ATOM] = { "ATOM", COHERENCE_REQUEST, 0, COHERENCE_ATOMIC, 0 },
    [DATA_S] = { "DATA_S", COHERENCE_REPLY, 2, COHERENCE_LINE, 0 },
    [DATA_M] = { "DATA_M", COHERENCE_REPLY, 2, COHERENCE_LINE, 0 },
    [WB_ACK] = { "WB_ACK", COHERENCE_REPLY, 0, COHERENCE_NO_PAYLOAD, 0 },
    [ATOM_ACK] = { "ATOM_ACK", COHERENCE_REPLY, 2, COHERENCE_OLD_VALUES, 0 },
    [INV] = { "INV", COHERENCE_PROBE, 1, COHERENCE_NO_PAYLOAD, 0 },
    [RECALL_S] = { "RECALL_S", COHERENCE_PROBE, 1, COHERENCE_NO_PAYLOAD, 0 },
    [RECALL_I] = { "RECALL_I", COHERENCE_PROBE, 1, COHERENCE_NO_PAYLOAD, 0 },
    [INV_ACK] = { "INV_ACK", COHERENCE_ACK, 1, COHERENCE_NO_PAYLOAD, 0 },
    [RECALLED] = { "RECALLED", COHERENCE_ACK, 1, COHERENCE_LINE, 0 },
    [UNBLOCK] = { "UNBLOCK", COHERENCE_NOTIFICATION, 2, COHERENCE_NO_PAYLOAD, 0 },
};

static const char *const l1_names[] = { "I", "S", "M", "IS", "ISI", "IM", "SM", "MI", "II", "A", "MA" };
static const char *const home_names[] = { "NP", "V", "S", "M", "F", "FX", "FA", "SX", "SA", "SE", "MS", "MX", "MA",
                                          "ME", "MU" };

#define ON(message) (L1_EVENTS + (message))
#define AT(message) (HOME_EVENTS + (message))
#define DO(...) { __VA_ARGS__ }

#define MISS(next, request) { next, DO({ L1_ALLOCATE }, { L1_WAIT }, { L1_SEND, request }) }
#define UPGRADE { SM, DO({ L1_MSHR }, { L1_WAIT }, { L1_SEND, GETX }) }
#define PUT { MI, DO({ L1_BUFFER }, { L1_SEND, PUTX }) }
#define HIT(state) { state, DO({ L1_HIT }) }
#define WAITS(state) [L1_LOAD] = { state, DO({ L1_WAIT }) }, [L1_STORE] = { state, DO({ L1_WAIT }) }, \
                     [L1_ATOMIC] = { state, DO({ L1_WAIT }) }
#define STALLS(state) [L1_LOAD] = { state, DO({ L1_STALL }) }, [L1_STORE] = { state, DO({ L1_STALL }) }, \
                      [L1_ATOMIC] = { state, DO({ L1_STALL }) }
#define ACK(state) { state, DO({ L1_ACK, INV_ACK }) }
#define GIVE(state) { state, DO({ L1_ACK, RECALLED }) }
#define GIVE_ALL(state) { state, DO({ L1_ACK, RECALLED }, { L1_INVALIDATE }) }
#define OWNS { M, DO({ L1_FILL }, { L1_SEND, UNBLOCK }) }

#define L1_ROWS_BUT_ATOMICS \
    [IS] = { WAITS(IS), [ON(INV)] = ACK(ISI), [ON(DATA_S)] = { S, DO({ L1_FILL }) } }, \
    [ISI] = { STALLS(ISI), [ON(INV)] = ACK(ISI), [ON(DATA_S)] = { I, DO({ L1_SERVE_LOADS }) } }, \
    [IM] = { WAITS(IM), [ON(INV)] = ACK(IM), [ON(DATA_M)] = OWNS }, \
    [SM] = { WAITS(SM), [ON(INV)] = ACK(IM), [ON(DATA_M)] = OWNS }, \
    [MI] = { STALLS(MI), [ON(RECALL_S)] = GIVE(II), [ON(RECALL_I)] = GIVE(II), [ON(WB_ACK)] = { I, DO({ L1_NOP }) } }, \
    [II] = { STALLS(II), [ON(INV)] = ACK(II), [ON(WB_ACK)] = { I, DO({ L1_NOP }) } }

static const struct coherence_row l1[L1_STATES][L1_EVENTS + MESSAGES] = {
    [I] = { [L1_LOAD] = MISS(IS, GETS), [L1_STORE] = MISS(IM, GETX), [L1_ATOMIC] = MISS(IM, GETX), [ON(INV)] = ACK(I) },
    [S] = { [L1_LOAD] = HIT(S), [L1_STORE] = UPGRADE, [L1_ATOMIC] = UPGRADE, [L1_EVICT] = { I, DO({ L1_NOP }) },
            [ON(INV)] = ACK(I) },
    [M] = { [L1_LOAD] = HIT(M), [L1_STORE] = HIT(M), [L1_ATOMIC] = HIT(M),
            [L1_EVICT] = PUT, [ON(RECALL_S)] = GIVE(S), [ON(RECALL_I)] = GIVE(I) },
    L1_ROWS_BUT_ATOMICS
};

static const struct coherence_row l1_home_atomics[L1_STATES][L1_EVENTS + MESSAGES] = {
    [I] = { [L1_LOAD] = MISS(IS, GETS), [L1_STORE] = MISS(IM, GETX),
            [L1_ATOMIC] = { A, DO({ L1_MSHR }, { L1_WAIT }, { L1_SEND, ATOM }) }, [ON(INV)] = ACK(I) },
    [S] = { [L1_LOAD] = HIT(S), [L1_STORE] = UPGRADE,
            [L1_ATOMIC] = { A, DO({ L1_MSHR }, { L1_WAIT }, { L1_SEND, ATOM }, { L1_INVALIDATE }) },
            [L1_EVICT] = { I, DO({ L1_NOP }) }, [ON(INV)] = ACK(I) },
    [M] = { [L1_LOAD] = HIT(M), [L1_STORE] = HIT(M),
            [L1_ATOMIC] = { MA, DO({ L1_MSHR }, { L1_WAIT }, { L1_SEND, ATOM }) },
            [L1_EVICT] = PUT, [ON(RECALL_S)] = GIVE(S), [ON(RECALL_I)] = GIVE(I) },
    [A] = { WAITS(A), [ON(INV)] = ACK(A), [ON(ATOM_ACK)] = { I, DO({ L1_PERFORMED }) } },
    [MA] = { WAITS(MA), [ON(RECALL_S)] = GIVE_ALL(A), [ON(RECALL_I)] = GIVE_ALL(A) },
    L1_ROWS_BUT_ATOMICS
};

#define LATE(state) [AT(PUTX_LATE)] = { state, DO({ HOME_REPLY, WB_ACK }) }
#define FETCHES(state) [AT(GETS)] = { state, DO({ HOME_WAIT }) }, [AT(GETX)] = { state, DO({ HOME_WAIT }) }, \
                       [AT(PUTX_LATE)] = { state, DO({ HOME_WAIT }) }, [AT(ATOM)] = { state, DO({ HOME_WAIT }) }
#define BUSY(state) FETCHES(state), [AT(PUTX)] = { state, DO({ HOME_WAIT }) }
#define ACKED(state) [AT(INV_ACK)] = { state, DO({ HOME_NOP }) }
#define TAKEN(state) [AT(RECALLED)] = { state, DO({ HOME_UPDATE }) }
#define GRANT { H_MU, DO({ HOME_OWN }, { HOME_REPLY, DATA_M }) }
#define SHARE { H_S, DO({ HOME_SHARE }, { HOME_REPLY, DATA_S }) }
#define OPERATE { H_V, DO({ HOME_CLEAR }, { HOME_ATOMIC, ATOM_ACK }) }
#define GONE { H_NP, DO({ HOME_CLEAR }) }
#define PROBE_OTHERS(state, probe) { state, DO({ HOME_MSHR }, { HOME_PROBE_OTHERS, probe }) }
#define PROBE_ALL(state, probe) { state, DO({ HOME_MSHR }, { HOME_PROBE, probe }) }

static const struct coherence_row home[HOME_STATES][HOME_EVENTS + MESSAGES] = {
    [H_NP] = { [AT(GETS)] = { H_F, DO({ HOME_FETCH }) }, [AT(GETX)] = { H_FX, DO({ HOME_FETCH }) },
               [AT(ATOM)] = { H_FA, DO({ HOME_FETCH }) }, LATE(H_NP) },
    [H_V] = { [HOME_EVICT] = { H_NP, DO({ HOME_NOP }) }, [AT(GETS)] = SHARE,
              [AT(GETX)] = { H_MU, DO({ HOME_MSHR }, { HOME_OWN }, { HOME_REPLY, DATA_M }) }, [AT(ATOM)] = OPERATE,
              LATE(H_V) },
    [H_S] = { [HOME_EVICT] = PROBE_ALL(H_SE, INV), [AT(GETS)] = SHARE, [AT(GETX)] = PROBE_OTHERS(H_SX, INV),
              [AT(ATOM)] = PROBE_ALL(H_SA, INV), [AT(PUTX)] = { H_S, DO({ HOME_UNSHARE }, { HOME_REPLY, WB_ACK }) },
              LATE(H_S) },
    [H_M] = { [HOME_EVICT] = PROBE_ALL(H_ME, RECALL_I), [AT(GETS)] = PROBE_ALL(H_MS, RECALL_S),
              [AT(GETX)] = PROBE_ALL(H_MX, RECALL_I), [AT(ATOM)] = PROBE_ALL(H_MA, RECALL_I),
              [AT(PUTX)] = { H_V, DO({ HOME_UPDATE }, { HOME_CLEAR }, { HOME_REPLY, WB_ACK }) }, LATE(H_M) },
    [H_F] = { FETCHES(H_F), [HOME_FILLED] = { H_S, DO({ HOME_OWN }, { HOME_REPLY, DATA_S }) } },
    [H_FX] = { FETCHES(H_FX), [HOME_FILLED] = GRANT },
    [H_FA] = { FETCHES(H_FA), [HOME_FILLED] = OPERATE },
    [H_SX] = { BUSY(H_SX), ACKED(H_SX), [HOME_ACKED] = GRANT },
    [H_SA] = { BUSY(H_SA), ACKED(H_SA), [HOME_ACKED] = OPERATE },
    [H_SE] = { BUSY(H_SE), ACKED(H_SE), [HOME_ACKED] = GONE },
    [H_MS] = { BUSY(H_MS), TAKEN(H_MS), [HOME_ACKED] = SHARE },
    [H_MX] = { BUSY(H_MX), TAKEN(H_MX), [HOME_ACKED] = GRANT },
    [H_MA] = { BUSY(H_MA), TAKEN(H_MA), [HOME_ACKED] = OPERATE },
    [H_ME] = { BUSY(H_ME), TAKEN(H_ME), [HOME_ACKED] = GONE },
    [H_MU] = { BUSY(H_MU), [AT(UNBLOCK)] = { H_M, DO({ HOME_NOP }) } },
};

#define MSI(NAME, TABLE) { \
    .name = NAME, .message = message, .messages = MESSAGES, .l1_state = l1_names, .home_state = home_names, \
    .l1_states = L1_STATES, .l1_stable = IS, .home_states = HOME_STATES, .home_stable = H_F, \
    .l1 = &TABLE[0][0], .home = &home[0][0] \
}
const struct coherence toy_msi = MSI("msi", l1);
const struct coherence toy_msi_home_atomics = MSI("msi, atomics at the home", l1_home_atomics);
