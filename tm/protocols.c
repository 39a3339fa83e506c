/* The transactional-memory protocols that tm.global can name, in the order of its choices. */
#include "tm/tm.h"

const struct tm_protocol *const tm_protocols[] = { NULL, NULL, NULL };
