/* Prints the tables of coherence protocols (tables.h). */
#include <stdio.h>
#include <string.h>

#include "regress/coherence/tables.h"

enum { CELL = 200 };

static const char *const l1_words[] = {
    [L1_NOP] = "", [L1_STALL] = "stall", [L1_ALLOCATE] = "allocate way and MSHR entry",
    [L1_MSHR] = "allocate MSHR entry",
    [L1_WAIT] = "wait", [L1_SEND] = "send ", [L1_ACK] = "send ", [L1_HIT] = "hit", [L1_FILL] = "fill",
    [L1_SERVE_LOADS] = "perform waiting loads", [L1_PERFORMED] = "performed", [L1_INVALIDATE] = "invalidate",
    [L1_BUFFER] = "to write-back buffer", [L1_COUNT] = ""
};
static const char *const home_words[] = {
    [HOME_NOP] = "", [HOME_WAIT] = "wait", [HOME_MSHR] = "", [HOME_FETCH] = "fetch", [HOME_REPLY] = "reply ",
    [HOME_PROBE] = "to sharers: ", [HOME_PROBE_OTHERS] = "to other sharers: ", [HOME_UPDATE] = "write line",
    [HOME_WRITE] = "store", [HOME_ATOMIC] = "operate, reply ", [HOME_PERFORM] = "perform",
    [HOME_SHARE] = "add sharer", [HOME_OWN] = "only sharer", [HOME_UNSHARE] = "remove sharer",
    [HOME_CLEAR] = "no sharers", [HOME_COUNT] = ""
};

static void add(char *cell, const char *separator, const char *text)
{
    size_t n = strlen(cell);
    snprintf(cell + n, CELL - n, "%s%s", n ? separator : "", text);
}

/* What the row does, and the next state if it is another one. */
static void describe(const struct coherence *p, const struct coherence_row *row, const char *const *words,
                     const char *const *states, unsigned state, char *cell)
{
    cell[0] = 0;
    for (int i = 0; i < COHERENCE_ACTIONS && row->step[i].action; i++) {
        const char *word = words[row->step[i].action];
        if (!*word)
            continue;
        add(cell, ", ", word);
        if (word[strlen(word) - 1] == ' ')
            add(cell, "", p->message[row->step[i].operand].name);
    }
    if (row->next != state) {
        add(cell, " ", "→ ");
        add(cell, "", states[row->next]);
    }
    if (!cell[0])
        strcpy(cell, "nothing");
}

struct table { const struct coherence *p; bool home; };

static const struct coherence_row *row_of(const struct table *t, unsigned state, unsigned event)
{
    return t->home ? coherence_home(t->p, state, event) : coherence_l1(t->p, state, event);
}

static const char *cell_of(const struct table *t, unsigned state, unsigned event, char *cell)
{
    const struct coherence *p = t->p;
    const struct coherence_row *row = row_of(t, state, event);
    if (!row->step[0].action)
        return NULL;
    describe(p, row, t->home ? home_words : l1_words, t->home ? p->home_state : p->l1_state, state, cell);
    return cell;
}

static bool same(const struct table *t, unsigned state, unsigned a, unsigned b)
{
    char x[CELL], y[CELL];
    return cell_of(t, state, a, x) && cell_of(t, state, b, y) && !strcmp(x, y);
}

/* The events from `first` on that have its reaction, unless an earlier one has it. */
static void print_line(const struct table *t, unsigned state, unsigned first, unsigned events)
{
    char cell[CELL];
    const struct coherence *p = t->p;
    for (unsigned e = 0; e < first; e++)
        if (same(t, state, e, first))
            return;
    if (!cell_of(t, state, first, cell))
        return;
    printf("| %s | ", t->home ? p->home_state[state] : p->l1_state[state]);
    for (unsigned e = first; e < events; e++)
        if (same(t, state, first, e))
            printf("%s%s", e > first ? ", " : "", t->home ? coherence_home_event(p, e) : coherence_l1_event(p, e));
    printf(" | %s |\n", cell);
}

static void print(const struct table *t, unsigned states, unsigned events)
{
    printf("| %s | event | reaction |\n|---|---|---|\n", t->home ? "home" : "L1");
    for (unsigned s = 0; s < states; s++)
        for (unsigned e = 0; e < events; e++)
            print_line(t, s, e, events);
}

void tables_print_l1(const struct coherence *p)
{
    print(&(struct table){ p, false }, p->l1_states, L1_EVENTS + p->messages);
}

void tables_print_home(const struct coherence *p)
{
    print(&(struct table){ p, true }, p->home_states, HOME_EVENTS + p->messages);
}
