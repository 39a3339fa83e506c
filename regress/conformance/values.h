/* Operand values by type: edge cases first, then random ones of several kinds. */
#ifndef REGRESS_CONFORMANCE_VALUES_H
#define REGRESS_CONFORMANCE_VALUES_H

#include <stdint.h>

struct values_random { uint64_t s; };
uint64_t values_next(struct values_random *r);

int values_edges(uint8_t type);                  /* how many edge values the type has */
uint64_t values_edge(uint8_t type, int i);
uint64_t values_pick(uint8_t type,
                     struct values_random *r); /* an edge, a small number, a near number or any bits */

#endif
