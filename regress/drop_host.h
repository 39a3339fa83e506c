/* Statistics without what depends on the host and not on the model, for comparisons. */
#ifndef REGRESS_DROP_HOST_H
#define REGRESS_DROP_HOST_H

#include <jansson.h>

static inline void drop_host(json_t *o)
{
    const char *key;
    json_t *value;
    size_t i;
    json_object_del(o, "host");
    json_object_foreach(o, key, value)
        drop_host(value);
    json_array_foreach(o, i, value)
        drop_host(value);
}

#endif
