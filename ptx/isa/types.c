/* Look-ups in the tables of types.h: types, spaces, modifiers, special registers. */
#include "ptx/isa/types.h"

#include <string.h>

static const struct { const char *name; int size; char class; } types[T_COUNT] = {
    [T_NONE] = { "", 0, 0 },
#define X(e, s, n, c) [T_##e] = { s, n, c },
    PTX_TYPES(X)
#undef X
};

static const char *const spaces[SP_COUNT] = {
#define X(e, s) [SP_##e] = s,
    PTX_SPACES(X)
#undef X
};

static const struct { uint8_t group; const char *word; } modifiers[PTX_MODIFIER_COUNT] = {
#define X(g, e, s) [g##_##e] = { PG_##g, s },
    PTX_MODIFIERS(X)
#undef X
};

static const struct { const char *name; uint8_t type; } sregs[SR_COUNT] = {
    [SR_NONE] = { "", T_NONE },
#define X(e, s, t, v) [SR_##e] = { s, T_##t },
    PTX_SREGS(X)
#undef X
};

_Static_assert(PTX_MODIFIER_COUNT < 255, "a modifier fits a byte");
_Static_assert(PG_COUNT <= 64, "a group set fits a word");

static bool same(const char *a, const char *b, int len)
{
    return !strncmp(a, b, (size_t)len) && a[len] == 0;
}

const char *ptx_type_name(enum ptx_type t)
{
    return types[t].name;
}

int ptx_type_size(enum ptx_type t)
{
    return types[t].size;
}

char ptx_type_class(enum ptx_type t)
{
    return types[t].class;
}

enum ptx_type ptx_type_find(const char *name, int len)
{
    for (int t = 1; t < T_COUNT; t++)
        if (same(types[t].name, name, len))
            return (enum ptx_type)t;
    return T_NONE;
}

const char *ptx_space_name(enum ptx_space s)
{
    return spaces[s];
}

uint8_t ptx_modifier_find(enum ptx_group g, const char *word, int len)
{
    for (int i = 0; i < PTX_MODIFIER_COUNT; i++)
        if (modifiers[i].group == g && same(modifiers[i].word, word, len))
            return (uint8_t)(i + 1);
    return 0;
}

const char *ptx_modifier_name(uint8_t mod)
{
    return mod ? modifiers[mod - 1].word : "";
}

const char *ptx_sreg_name(enum ptx_sreg s)
{
    return sregs[s].name;
}

enum ptx_type ptx_sreg_type(enum ptx_sreg s)
{
    return (enum ptx_type)sregs[s].type;
}
