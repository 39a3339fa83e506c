/*
 * The inside of the oracle: events, and how they are kept until the serial step.
 */
#ifndef TM_ORACLE_IMPL_H
#define TM_ORACLE_IMPL_H

#include "base/fifo.h"
#include "tm/oracle/findings.h"
#include "tm/oracle/version_graph.h"
#include "tm/oracle/oracle.h"
#include "tm/oracle/shadow_words.h"
#include "tm/oracle/versions.h"

/* An attempt with a key. It is freed to the pool of its list, by size class. */
struct oracle_txn {
    struct oracle_txn *next;
    struct oracle_events *home;
    uint64_t key;
    struct oracle_who who;
    uint32_t reads, writes;          /* words */
    uint8_t size_class;              /* room for 4 << size_class words */
    bool commits;
    bool held;                       /* it is counted in `held` of its words' lines */
    bool ordered;                    /* by oracle_ordered; gets its key when its order is settled */
    struct oracle_place place;       /* of `ordered` */
    bool between;                    /* has no key of its own; key: the newest one whose writes it may have read */
    uint64_t start;                  /* of `between`: core cycle in which the attempt began */
    struct tm_word w[];              /* reads, then writes */
};

/* A write to memory: of a word by a transaction, or of bytes of a line by a plain store or an atomic. */
struct oracle_event {
    uint64_t address, cycle;
    uint64_t mask[2];                /* bytes of the line; 0: a transaction's write */
    uint32_t line;                   /* number in the shadow */
    uint32_t before;                 /* of a transaction's write */
    const uint8_t *memory;           /* the line, of an atomic */
    uint32_t image;                  /* index of its image; of a transaction's write: of the next image */
    bool atomic;
};

/* The line of a plain store or atomic, before and after it. */
struct oracle_image { uint32_t before[SHADOW_WORDS], after[SHADOW_WORDS]; };

enum { ORACLE_CLASSES = 26 };

struct oracle_events {
    /* accessed by every step: in one line of the host's cache */
    _Alignas(64) struct oracle_txn *first, *last;            /* not processed */
    struct oracle_event *event;
    struct oracle_image *image;
    uint32_t events, events_cap, images, images_cap;
    uint32_t initialised;                 /* events whose old values have entered the shadow */
    uint32_t entered;                /* events whose new values have entered it, too, if they are plain stores */
    struct oracle_txn *pool[ORACLE_CLASSES];
};

void oracle_events_free(struct oracle_events *n);
void oracle_txn_free(struct oracle_txn *t);

/* Transactions of oracle_ordered (ordered.c). */
struct oracle_snapshots {
    bool on, serialisable;
    struct oracle_txn **heap;        /* not settled; the one with the smallest place first */
    uint32_t n, cap;
    uint64_t settled;
    struct oracle_txn **ticketed;    /* by ticket: reported, not replayed */
    uint32_t tickets_cap, waiting;   /* waiting: how many of them are reported */
    struct fifo turns;               /* uint32_t: tickets in the order of replay (oracle_turn) */
    struct versions versions;        /* by version number */
};

/* A word of a plain store that enters after the transactions that waited when it was performed. */
struct oracle_deferred { uint64_t address, cycle; uint32_t value; uint8_t bytes; };

/* An atomic whose result is not known yet. */
struct oracle_atomic { struct oracle_events *list; uint32_t event, known; };

struct oracle {
    enum oracle_mode mode;
    struct oracle_events *list;        /* cores, then slices */
    uint32_t lists, cores;
    struct shadow shadow;
    struct oracle_txn **ring;        /* by key: attempts reported, not replayed */
    uint64_t ring_mask;
    uint64_t next, largest;          /* key to be replayed next; largest reported */
    uint64_t time;                   /* core cycle of the last replay */
    uint64_t soonest;                /* core cycle of the first plain store that has not entered the shadow */
    struct oracle_atomic *atomic;    /* in the order of their events */
    uint32_t atomics, atomics_cap;
    struct oracle_deferred *deferred;            /* in the order of their cycles, for each word */
    uint32_t ndeferred, deferred_cap;
    uint64_t checked, reads, weak;
    struct findings found;
    struct version_graph graph;      /* mode full */
    struct versions *versions;       /* NULL = not kept */
    struct oracle_txn *between;      /* not checked: keys up to theirs are missing */
    struct oracle_snapshots snapshots;
};

/* ---- ordered.c ---- */
void oracle_snapshots_clear(struct oracle_snapshots *s);
void oracle_snapshots_free(struct oracle_snapshots *s);
void oracle_snapshots_add(struct oracle_snapshots *s, struct oracle_txn *t);
/* The next transaction whose order is settled; NULL = none. */
struct oracle_txn *oracle_snapshots_next(struct oracle_snapshots *s);
/* The value that a read of this snapshot must have. current: of a word without versions. */
uint32_t oracle_snapshot_value(const struct oracle_snapshots *s, uint64_t snapshot, uint32_t line, unsigned word,
                               uint32_t current);
/* Enters a write. Returns the newest version that the word has had. */
uint64_t oracle_snapshot_write(struct oracle_snapshots *s, uint64_t commit, uint32_t line, unsigned word,
                               uint32_t before, uint32_t value);

#endif
