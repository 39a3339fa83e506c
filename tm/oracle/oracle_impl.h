/*
 * The oracle's own: what is noted, and how it waits for the serial step.
 */
#ifndef TM_ORACLE_IMPL_H
#define TM_ORACLE_IMPL_H

#include "tm/oracle/findings.h"
#include "tm/oracle/version_graph.h"
#include "tm/oracle/oracle.h"
#include "tm/oracle/shadow_words.h"

/* An attempt that had a key. Blocks go back to the list that they came from, by size class. */
struct oracle_txn {
    struct oracle_txn *next;
    struct oracle_note *home;
    uint64_t key;
    struct oracle_who who;
    uint32_t reads, writes;          /* words */
    uint8_t size_class;              /* room for 4 << size_class words */
    bool commits;
    struct tm_word w[];              /* reads, then writes */
};

/* Something that reached memory: a word that a transaction wrote, or bytes of a line by a plain store or an atomic. */
struct oracle_event {
    uint64_t address, cycle;
    uint64_t mask[2];                /* bytes of the line; 0: a transaction's write */
    uint32_t line;                   /* number in the shadow */
    uint32_t before;                 /* of a transaction's write */
    uint32_t image;                  /* number of its image, or of the next one that there will be */
    bool atomic;
};

/* The line of a plain store or atomic: as it was, and what it became. */
struct oracle_image { uint32_t before[SHADOW_WORDS], after[SHADOW_WORDS]; };

enum { ORACLE_CLASSES = 26 };

struct oracle_note {
    /* what every step looks at, in one line of the host's cache */
    _Alignas(64) struct oracle_txn *first, *last;            /* not taken in */
    struct oracle_event *event;
    struct oracle_image *image;
    uint32_t events, events_cap, images, images_cap;
    uint32_t learnt;                 /* events whose old values are in the shadow */
    uint32_t entered;                /* events whose new values are there too, if they are plain stores */
    struct oracle_txn *pool[ORACLE_CLASSES];
};

void oracle_note_free(struct oracle_note *n);
void oracle_txn_free(struct oracle_txn *t);

/* An atomic whose result is not known yet. */
struct oracle_atomic { struct oracle_note *note; uint32_t event, known; };

struct oracle {
    enum oracle_mode mode;
    struct oracle_note *note;        /* cores, then slices */
    uint32_t notes, cores;
    struct shadow shadow;
    struct oracle_txn **ring;        /* by key: reported, not replayed */
    uint64_t ring_mask;
    uint64_t next, largest;          /* key to be replayed next; largest reported */
    uint64_t time;                   /* core cycle of the last replay */
    uint64_t soonest;                /* core cycle of the first plain store that has not entered the shadow */
    struct oracle_atomic *atomic;    /* in the order in which they were noted */
    uint32_t atomics, atomics_cap;
    uint64_t checked, reads, weak;
    struct findings found;
    struct graph graph;              /* mode full */
};

#endif
