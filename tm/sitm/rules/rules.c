/* Values of the paper for the rules of snapshot isolation, and the limits of their sizes. */
#include <stddef.h>

#include "tm/sitm/rules/rules.h"

struct sitm_rules sitm_rules_default(void)
{
    return (struct sitm_rules){ .edges = true, .slices = 6, .slots = 8, .groups = SITM_MOST_GROUPS,
                                .writer_entries = 500, .reader_entries = 14642, .delta = 10, .stamp_bits = 24,
                                .version_bits = 32, .precedence_after = 16, .exclusive_after = 64 };
}

const char *sitm_rules_check(const struct sitm_rules *r)
{
    if (r->slots < 2 || r->slots > SITM_MOST_SLOTS)
        return "snapshot isolation needs 2 to 32 versions";
    if (!r->groups || r->groups > SITM_MOST_GROUPS)
        return "transaction IDs form 1 to 32 groups";
    if (r->stamp_bits < 4 || r->stamp_bits > 24 || r->version_bits < 2 || r->version_bits > 32)
        return "logical timestamps have 4 to 24 bits, version numbers 2 to 32";
    if (!r->delta || 4 * (uint64_t)r->delta + 6 >= (UINT64_C(1) << r->stamp_bits) - 1)
        return "the increment of post-dating is 1 or more, and 4 of it + 6 fit into a logical timestamp";
    return NULL;
}
