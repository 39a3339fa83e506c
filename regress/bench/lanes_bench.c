/* Nanoseconds per warp instruction of some lane functions, for each vector width of this host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ptx/lanes/lanes.h"
#include "ptx/isa/ops_check.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* "mad.lo.s32" as an instruction with register operands. */
static bool assemble(const char *text, struct ptx_inst *in)
{
    char words[64], *save = NULL;
    int types = 0;
    memset(in, 0, sizeof *in);
    snprintf(words, sizeof words, "%s", text);
    char *w = strtok_r(words, ".", &save);
    in->op = ptx_op_find(w, (int)strlen(w));
    in->nopd = 2;
    for (int i = 0; i < PTX_MAX_OPD; i++)
        in->opd[i].kind = i == 1 && in->op == OP_SETP ? OPD_NONE : OPD_REG;
    while ((w = strtok_r(NULL, ".", &save))) {
        int len = (int)strlen(w);
        uint8_t m;
        enum ptx_type t = ptx_type_find(w, len);
        if (t && types < 3)
            in->type[types++] = (uint8_t)t;
        for (int g = 0; g < PG_COUNT && !t; g++)
            if ((ptx_ops[in->op].groups >> g & 1) && (m = ptx_modifier_find((enum ptx_group)g, w, len))) {
                in->mod[g] = m;
                break;
            }
    }
    return in->op != OP_NONE;
}

enum { SLOT = 512, ROUNDS = 200000 };

static double measure(enum lanes_isa isa, const struct ptx_inst *in, char *memory, uint32_t mask)
{
    struct dinst d = { .dst = 0, .dst2 = 5 * SLOT, .src = { SLOT, 2 * SLOT, 3 * SLOT, 4 * SLOT } };
    struct lanes x = { .base = { memory, memory }, .mask = mask, .active = mask, .exist = ~0u };
    d.fn = lanes_select(isa, in, &d);
    if (!d.fn)
        return -1;
    double best = 1e9;
    for (int k = 0; k < 3; k++) {
        double t = now();
        for (int i = 0; i < ROUNDS / 4; i++)
            d.fn(&x, &d);
        t = (now() - t) / (ROUNDS / 4) * 1e9;
        best = t < best ? t : best;
    }
    return best;
}

int main(void)
{
    static const char *const list[] = {
        "mov.b32", "add.s32", "add.s64", "mul.lo.s32", "mad.lo.s32", "mul.wide.s32", "and.b32", "shl.b32",
        "div.s32",
        "add.f32", "mul.ftz.f32", "fma.rn.f32", "fma.rn.f64", "add.rz.f32", "div.rn.f32", "max.f32",
        "setp.lt.s32",
        "setp.lt.f32", "setp.lt.s64", "selp.b32", "cvt.s64.s32", "cvt.rn.f32.s32", "cvt.rzi.s32.f32",
        "cvt.rn.f16.f32",
        "add.f16x2", "fma.rn.f16", "ex2.approx.f32", "sin.approx.f32", "lop3.b32", "prmt.b32", "bfe.u32",
        "addc.cc.u32",
        "shfl.sync.down.b32", "vote.sync.ballot.b32"
    };
    char *memory = aligned_alloc(64, 6 * SLOT);
    if (!memory)
        return 1;
    memset(memory, 0, 6 * SLOT);
    for (int i = 0; i < SLOT; i++)               /* the same in all lanes of an operand, as a membermask is */
        ((float *)memory)[i + SLOT / 4] = 1.0f + 0.01f * (float)(i / (SLOT / 4));
    printf("%-22s", "ns per warp (all, half)");
    for (int isa = 0; isa < ISA_COUNT; isa++)
        printf("%18s", lanes_isa_name((enum lanes_isa)isa));
    printf("\n");
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct ptx_inst in;
        if (!assemble(list[k], &in))
            return 1;
        printf("%-22s", list[k]);
        for (int isa = 0; isa < ISA_COUNT; isa++)
            if (lanes_isa_find(lanes_isa_name((enum lanes_isa)isa)) != ISA_COUNT)
                printf("%9.2f%9.2f", measure((enum lanes_isa)isa, &in, memory, ~0u),
                       measure((enum lanes_isa)isa, &in, memory, 0x5555ffff));
        printf("\n");
    }
    free(memory);
    return 0;
}
