/*
 * A coherence protocol of the L1 caches, as two tables of state x event: one for a line in an L1, one for the line at
 * its home, the L2 slice (Sorin, Hill and Wood, A Primer on Memory Consistency and Cache Coherence, 2011, chapters 6 to
 * 8). A row gives the next state and a list of actions. The two controllers, l1_coherence.c and l2_coherence.c, execute
 * the actions; they keep MSHR entries, data, queues and credits, and contain no protocol.
 *
 * L1. Only global loads, stores and atomics are events of the table; local, constant, texture and instruction lines are
 * not coherent. States from `l1_stable` on are transient: the line has an MSHR entry, in which its accesses wait in
 * order of arrival. When the line enters a stable state the oldest waiting access is the next event, and so on while
 * they hit. Accesses to a line therefore perform in order; one that misses again sends the next request.
 *
 * Home. States from `home_stable` on are transient: the line is busy with one request, and further requests for it wait
 * in its MSHR entry in order of arrival, without blocking requests for other lines. When the line enters a stable state
 * the oldest waiting request is the next event. The state and the set of sharers are stored with the tag; state 0 is
 * that of a line that is not in the L2, or that only caches without the protocol have fetched.
 *
 * Reads and writes of L2 lines that are not the protocol's (of constant and texture caches, instruction fetch, commit
 * units) are events of the home, too, when the line is in another state than 0 or has an MSHR entry of the protocol:
 * HOME_OTHER_READ and HOME_OTHER_WRITE are requests that end with HOME_PERFORM instead of a reply. So the protocol
 * recalls or invalidates copies before such an access binds its value.
 *
 * Messages are of five classes. An L1 sends a request to the home, which returns the same packet as a reply. The home
 * sends a probe (invalidation, recall) to an L1, which returns the same packet as an acknowledgement. An L1 sends a
 * notification to the home, which returns nothing. Deadlock freedom: probes have a virtual network of their own towards
 * the SMs, which an L1 empties in the cycle of arrival, because no action on a probe needs a free entry or buffer;
 * acknowledgements and notifications have virtual networks of their own towards the slices. So a probe never waits for
 * a reply, an acknowledgement never waits for a request, and the home can complete each request that it has accepted.
 */
#ifndef MEMSYS_COHERENCE_H
#define MEMSYS_COHERENCE_H

#include "base/stats.h"
#include "memsys/xbar/packet.h"

struct simtx_config;

enum { COHERENCE_STATES = 32, COHERENCE_MESSAGES = 32, COHERENCE_ACTIONS = 5 };

enum coherence_class { COHERENCE_REQUEST, COHERENCE_REPLY, COHERENCE_PROBE, COHERENCE_ACK, COHERENCE_NOTIFICATION };

/* What follows the header: the line's bytes, the bytes of a store, the operands of an atomic, its old values. */
enum coherence_payload {
    COHERENCE_NO_PAYLOAD, COHERENCE_LINE, COHERENCE_STORE, COHERENCE_ATOMIC, COHERENCE_OLD_VALUES
};

/* The packet's kind is MSG_PROTOCOL + the index in the protocol's table of messages. */
struct coherence_message {
    const char *name;
    uint8_t class, vn, payload;      /* enum coherence_class, virtual network, enum coherence_payload */
    uint8_t nonsharer;               /* requests: message that is the event when the sender is no sharer; 0 = itself */
};

enum l1_event { L1_LOAD, L1_STORE, L1_ATOMIC, L1_EVICT, L1_EVENTS };         /* then replies and probes */
enum home_event {
    HOME_EVICT,
    HOME_FILLED,                     /* the line has arrived from DRAM */
    HOME_FILLED_AGAIN,               /* the same, and the oldest waiting request is the same message as that which the
                                      * line is busy with; a state without this row uses HOME_FILLED */
    HOME_ACKED,                      /* all acknowledgements have arrived */
    HOME_OTHER_READ, HOME_OTHER_WRITE,       /* an access that is not the protocol's */
    HOME_EVENTS                      /* then the other messages */
};


enum l1_action {
    L1_NOP = 1,                      /* for rows that only change the state */
    L1_STALL,                        /* rejects the access, which is retried */
    L1_ALLOCATE,                     /* allocates a way and an MSHR entry for the line, unless it has them */
    L1_MSHR,                         /* allocates an MSHR entry only */
    L1_WAIT,                         /* appends the access to the MSHR entry */
    L1_SEND,                         /* sends this request or notification */
    L1_ACK,                          /* returns the probe as this acknowledgement */
    L1_HIT,                          /* performs the access on the line */
    L1_FILL,                         /* writes the message's line into the cache */
    L1_SERVE_LOADS,                  /* performs the loads at the head of the MSHR entry, on the message's line */
    L1_PERFORMED,                    /* the home has performed the oldest access of the entry; updates a copy here */
    L1_INVALIDATE,                   /* frees the line's way */
    L1_BUFFER,                       /* of L1_EVICT: moves the line to the write-back buffer; accesses to it stall */
    L1_COUNT                         /* increments this counter of the protocol */
};

enum home_action {
    HOME_NOP = 1,
    HOME_WAIT,                       /* appends the request to the line's MSHR entry */
    HOME_MSHR,                       /* allocates an MSHR entry: the line is busy with the request */
    HOME_FETCH,                      /* allocates a way, too, and reads the line from DRAM; HOME_FILLED follows */
    HOME_REPLY,                      /* returns the request as this message */
    HOME_PROBE,                      /* sends this probe to all sharers; HOME_ACKED follows the last acknowledgement */
    HOME_PROBE_OTHERS,               /* the same, except to the requester */
    HOME_UPDATE,                     /* writes the message's line into the L2, dirty */
    HOME_WRITE,                      /* performs the request's store */
    HOME_ATOMIC,                     /* performs the request's atomic, and returns it as this message */
    HOME_PERFORM,                    /* performs an access that is not the protocol's */
    HOME_SHARE,                      /* adds the requester to the sharers */
    HOME_OWN,                        /* the requester becomes the only sharer */
    HOME_UNSHARE,                    /* removes the sender from the sharers */
    HOME_CLEAR,                      /* removes all sharers */
    HOME_COUNT                       /* increments this counter of the protocol */
};

struct coherence_step { uint8_t action, operand; };      /* operand: a message, or a counter */

/* A row without actions: the event is impossible in this state, and reported as an error of the protocol. */
struct coherence_row { uint8_t next; struct coherence_step step[COHERENCE_ACTIONS]; };

struct coherence {
    const char *name;
    const struct coherence_message *message;
    uint32_t messages;
    const char *const *l1_state, *const *home_state;     /* names; state 0: no copy */
    uint32_t l1_states, l1_stable, home_states, home_stable;
    const struct coherence_row *l1;  /* [l1_states][L1_EVENTS + messages] */
    const struct coherence_row *home;    /* [home_states][HOME_EVENTS + messages] */
    const enum stat *counter;        /* of L1_COUNT and HOME_COUNT */
    uint32_t counters;
    /* The tables that its keys choose; NULL = these. */
    const struct coherence *(*variant)(const struct simtx_config *config);
};

static inline bool coherence_does(const struct coherence_row *row, unsigned action)
{
    for (int i = 0; i < COHERENCE_ACTIONS && row->step[i].action; i++)
        if (row->step[i].action == action)
            return true;
    return false;
}

static inline const struct coherence_row *coherence_l1(const struct coherence *p, unsigned state, unsigned event)
{
    return &p->l1[state * (L1_EVENTS + p->messages) + event];
}

static inline const struct coherence_row *coherence_home(const struct coherence *p, unsigned state, unsigned event)
{
    return &p->home[state * (HOME_EVENTS + p->messages) + event];
}

/* Size of the header and of a payload of fixed size. */
static inline uint16_t coherence_bytes(const struct coherence_message *m)
{
    return PACKET_HEADER + (m->payload == COHERENCE_LINE ? LINE_BYTES : 0);
}

const char *coherence_l1_event(const struct coherence *p, unsigned event);
const char *coherence_home_event(const struct coherence *p, unsigned event);

/* Do the tables obey the rules above, with vns virtual networks? If not: false, and a message in error. */
bool coherence_check(const struct coherence *p, uint32_t vns, char *error, size_t size);
/* A bit for each virtual network with acknowledgements or notifications, which carry no requests. p: or NULL. */
uint32_t coherence_control_vns(const struct coherence *p);
/* Reports an event that has no row, and aborts. */
_Noreturn void coherence_impossible_l1(const struct coherence *p, unsigned sm, uint64_t line, unsigned state,
                                       unsigned event);
_Noreturn void coherence_impossible_home(const struct coherence *p, unsigned slice, uint64_t line, unsigned state,
                                         unsigned event);

#endif
