/* The transactional-memory protocols that tm.global can name, in the order of its choices. */
#include "tm/ideal.h"

extern const struct tm_protocol tm_kilotm;

const struct tm_protocol *const tm_protocols[] = { NULL, &tm_kilotm, &tm_ideal };
