/*
 * Opcodes of PTX, and modifiers of supported opcodes, that are not supported. They are listed by name, so that the
 * message is `not supported` and not `unknown instruction`.
 */
#include <string.h>

#include "ptx/text/parser.h"

static const char *const opcodes[] = {
    "istypep",                                                                 /* types of texture handles */
    "tcgen05",                                                                 /* matrices */
    "cp", "mbarrier", "clusterlaunchcontrol",
    "multimem", "tensormap",
};

static const struct { const char *opcode, *word; } parts[] = {
    { "tex", ".2dms" }, { "tex", ".a2dms" }, { "txq", ".num_samples" },        /* textures with several samples */
    { "fence", ".proxy" }, { "st", ".async" },
    { "st", ".bulk" }, { "red", ".async" }, { "fma", ".oob" }, { "prefetch", ".tensormap" },
    { "cp.async", ".bulk.tensor" }, { "cp.async", ".bulk.prefetch.tensor" }, { "cp.async", ".bulk" },
    { "cp", ".reduce.async.bulk.tensor" },
    { "tensormap", ".replace.tile.swizzle_atomicity" },                        /* of GPUs after Hopper */
    { "cp.async.bulk.global.shared::cta.bulk_group", ".cp_mask" },
    { "mma", ".block_scale" }, { "mma", ".kind" }, { "mma.sp::ordered_metadata", ".kind" },
    { "ldmatrix", ".m16n16" }, { "ldmatrix", ".m8n16" }, { "stmatrix", ".m16n8" },
};

/* Do the modifiers from the m-th on begin with these words? A word may go on after "::". */
static bool begins(const struct parser *p, int m, const char *words)
{
    size_t len = strlen(words);
    if (!strncmp(p->mods[m]->s, words, len) && p->mods[m]->s[len] == ':')
        return true;
    for (; *words && m < p->nmods && m < PARSE_MAX_INST_MODS; m++) {
        size_t n = p->mods[m]->len;
        if (strncmp(words, p->mods[m]->s, n))
            return false;
        words += n;
    }
    return !*words;
}

/* Modes of tensor copies of GPUs after Hopper; tensor_words() has removed .tile. */
static bool is_other_mode(const struct parser *p, const char *word)
{
    return ptx_is_tensor_copy(p->opcode->op) &&
           (!strncmp(word, ".im2col::", 9) || !strncmp(word, ".tile", 5) || !strncmp(word, ".cta_group", 10));
}

static bool reject(struct parser *p, const char *word)
{
    diag_error(p->d, p->inst_loc.line, p->inst_loc.col, "instruction '%s%s' is not supported", p->opcode->s,
               word);
    return true;
}

bool inst_unsupported(struct parser *p)
{
    const char *op = p->opcode->s;
    for (int m = 0; m < p->nmods && m < PARSE_MAX_INST_MODS; m++) {
        if (is_other_mode(p, p->mods[m]->s))
            return reject(p, p->mods[m]->s);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (!strcmp(op, parts[i].opcode) && begins(p, m, parts[i].word))
                return reject(p, parts[i].word);
    }
    for (size_t i = 0; !p->opcode->op && i < sizeof opcodes / sizeof *opcodes; i++)
        if (!strcmp(op, opcodes[i]))
            return reject(p, p->nmods ? p->mods[0]->s : "");
    return false;
}
