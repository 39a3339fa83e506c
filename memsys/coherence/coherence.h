/*
 * A coherence protocol of the L1 caches, as two tables of state x event: one for a line in an L1, one for the line at
 * its home, the L2 slice (Sorin, Hill and Wood, A Primer on Memory Consistency and Cache Coherence, 2011, chapters 6
 * to 8). A row says the next state and what is done, in a few actions that the L1 (l1_coherence.c) and the slice
 * (l2_coherence.c) know; they keep the entries, data, queues and credits, and know no protocol.
 *
 * At the L1, global loads, stores and atomics go to the table, and messages; local, constant, texture and instruction
 * lines do not. States from `l1_stable` on are transient: the line has an MSHR entry, and accesses wait in it in the
 * order of their coming. When the line comes to a stable state the oldest of them goes to the table again, and so on
 * while they hit; so accesses to a line perform in order, and one that the state does not serve makes the next request.
 *
 * At the home, states from `home_stable` on are transient: the line is busy with one request, others wait for it in its
 * MSHR entry in the order of their coming, and hold up nobody else. In a stable state the oldest of them goes to the
 * table again. A line keeps its state and the SMs that share it beside its tag; state 0 is that of a line that
 * no L1 has, be it in the L2 or not.
 *
 * Requests go from L1 to home and come back as replies (the same packet); calls go from home to L1, unasked, and come
 * back as answers; notes go from L1 to home and nothing comes back. Calls have a virtual network of their own
 * towards the SMs, which an L1 empties in the cycle of their arrival: what it does about one needs no room. Answers and
 * notes have networks of their own towards the slices. So calls never wait behind replies, nor answers behind
 * requests, and the home can always finish what it has begun.
 */
#ifndef MEMSYS_COHERENCE_H
#define MEMSYS_COHERENCE_H

#include "memsys/xbar/packet.h"

enum { COHERENCE_STATES = 32, COHERENCE_MESSAGES = 32, COHERENCE_ACTIONS = 5 };

enum coherence_way { WAY_REQUEST, WAY_REPLY, WAY_CALL, WAY_ANSWER, WAY_NOTE };

/* What a message has besides its header: the line; the bytes of the store, or the operands of the atomic, that it is
 * about; the atomic's old values. */
enum coherence_load { CARRIES_NOTHING, CARRIES_LINE, CARRIES_STORE, CARRIES_ATOMIC, CARRIES_OLD };

/* Of kind MSG_PROTOCOL + its place in the table. */
struct coherence_message {
    const char *name;
    uint8_t way, vn, carries;
    uint8_t stranger;                /* requests: the event when the sender is not among the sharers; 0 = the same */
};

enum l1_event { L1_LOAD, L1_STORE, L1_ATOMIC, L1_EVICT, L1_EVENTS };         /* then replies and calls, by message */
enum home_event { HOME_EVICT, HOME_FILLED, HOME_ANSWERED, HOME_EVENTS };     /* then requests, answers and notes */

enum l1_action {
    L1_GO = 1,                       /* nothing else happens */
    L1_STALL,                        /* the access is turned away, and comes again */
    L1_ALLOCATE,                     /* the line gets a place in the cache and an entry, if it has none */
    L1_ENTRY,                        /* only the entry */
    L1_WAIT,                         /* the access waits in the entry */
    L1_SEND,                         /* a request or note of this message */
    L1_ANSWER,                       /* the call goes back as this message */
    L1_HIT,                          /* the access is performed on the line */
    L1_FILL,                         /* the message's line comes into the cache */
    L1_SERVE_LOADS,                  /* loads at the head of the entry are performed on the message's line, no others */
    L1_DONE,                         /* the oldest access in the entry has performed at the home; a copy here follows */
    L1_DROP,                         /* the line loses its place in the cache */
    L1_LEAVE                         /* of L1_EVICT: the same, and its bytes wait for a reply; accesses to it stall */
};

enum home_action {
    HOME_GO = 1,
    HOME_WAIT,                       /* the request waits in the line's entry */
    HOME_ENTRY,                      /* the line gets an entry, and is busy with the request */
    HOME_FETCH,                      /* the same, and a place in the L2; HOME_FILLED comes when its bytes are there */
    HOME_REPLY,                      /* the request goes back as this message */
    HOME_CALL,                       /* this message to all sharers; HOME_ANSWERED comes with the last answer */
    HOME_CALL_OTHERS,                /* the same, but not to who requests */
    HOME_TAKE,                       /* the message's line comes into the L2, dirty */
    HOME_WRITE,                      /* the request's store is performed */
    HOME_ATOMIC,                     /* the request's atomic is performed; it goes back as this message */
    HOME_SHARE,                      /* who requests is a sharer */
    HOME_OWN,                        /* who requests is the only sharer */
    HOME_LEAVE,                      /* who requests is none any more */
    HOME_CLEAR                       /* there are no sharers */
};

struct coherence_step { uint8_t action, message; };

/* A row: no actions = this cannot happen, and is reported as an error of the protocol. */
struct coherence_row { uint8_t next; struct coherence_step step[COHERENCE_ACTIONS]; };

struct coherence {
    const char *name;
    const struct coherence_message *message;
    uint32_t messages;
    const char *const *l1_state, *const *home_state;     /* names; [0] has no copy */
    uint32_t l1_states, l1_stable, home_states, home_stable;
    const struct coherence_row *l1;      /* [l1_states][L1_EVENTS + messages] */
    const struct coherence_row *home;    /* [home_states][HOME_EVENTS + messages] */
};

static inline const struct coherence_row *coherence_l1(const struct coherence *p, unsigned state, unsigned event)
{
    return &p->l1[state * (L1_EVENTS + p->messages) + event];
}

static inline const struct coherence_row *coherence_home(const struct coherence *p, unsigned state, unsigned event)
{
    return &p->home[state * (HOME_EVENTS + p->messages) + event];
}

/* Header and what the message carries when that is of fixed size. */
static inline uint16_t coherence_bytes(const struct coherence_message *m)
{
    return PACKET_HEADER + (m->carries == CARRIES_LINE ? LINE_BYTES : 0);
}

/* Are the tables in order, and are vns networks enough? False with a message in error (at most size bytes). */
bool coherence_check(const struct coherence *p, uint32_t vns, char *error, size_t size);
/* An event that the table does not know: says so and ends the program, since what follows would be wrong. */
_Noreturn void coherence_impossible_l1(const struct coherence *p, unsigned sm, uint64_t line, unsigned state,
                                       unsigned event);
_Noreturn void coherence_impossible_home(const struct coherence *p, unsigned slice, uint64_t line, unsigned state,
                                         unsigned event);

#endif
