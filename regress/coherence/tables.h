/* The tables of a coherence protocol as Markdown, for docs/ordering.md. */
#ifndef REGRESS_COHERENCE_TABLES_H
#define REGRESS_COHERENCE_TABLES_H

#include "memsys/coherence/coherence.h"

/* A line for each state and reaction, with all events that have this reaction. */
void tables_print_l1(const struct coherence *p);
void tables_print_home(const struct coherence *p);

#endif
