/* The transactional-memory protocols that tm.global and tm.shared can name, in the order of their choices. */
#include "tm/core/banks.h"
#include "tm/ideal/ideal.h"

extern const struct tm_protocol tm_kilotm;
extern const struct tm_banks tm_localtm;

const struct tm_protocol *const tm_protocols[] = { NULL, &tm_kilotm, &tm_ideal };

const struct tm_banks *const tm_banks_protocols[] = { NULL, &tm_localtm };
