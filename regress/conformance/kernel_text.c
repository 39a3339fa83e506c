/* PTX of a combination: see kernel_text.h. Carries enter by add.cc of the record's flag and leave by addc. */
#include "regress/conformance/kernel_text.h"

int kernel_alias_source(const struct combo *c)
{
    for (int i = 0; i < c->nsrc; i++) {
        int k = (i + c->in.op) % c->nsrc;
        if (combo_class(c->src_type[k]) == combo_class(c->dst_type) && !c->pair)
            return k;
    }
    return -1;
}

int kernel_imm_source(const struct combo *c)
{
    int k = c->nsrc - 1;
    if (combo_is_video(c->in.op) || c->in.op == OP_CVT || c->nsrc < 1)
        return -1;
    while (k > 0 && c->src_type[k] == T_PRED)
        k--;
    uint8_t t = c->src_type[k];
    char class = ptx_type_class(t);
    bool plain = class == 'u' || class == 's' || class == 'b';
    if (t == T_U16X2 || t == T_S16X2 || (!plain && t != T_F32 && t != T_F64))
        return -1;
    return k;
}

static int bits_of(char class) { return class == 'h' ? 16 : class == 'r' ? 32 : 64; }

static void print_load(FILE *f, uint8_t type, const char *reg, int offset)
{
    if (type == T_PRED)
        fprintf(f, "  ld.global.u64 %%w, [%%in+%d];\n  setp.ne.u64 %s, %%w, 0;\n", offset, reg);
    else
        fprintf(f, "  ld.global.b%d %s, [%%in+%d];\n", bits_of(combo_class(type)), reg, offset);
}

static void print_store(FILE *f, uint8_t type, const char *reg, int offset)
{
    if (type == T_PRED)
        fprintf(f, "  selp.u64 %%w, 1, 0, %s;\n  st.global.u64 [%%out+%d], %%w;\n", reg, offset);
    else
        fprintf(f, "  st.global.b%d [%%out+%d], %s;\n", bits_of(combo_class(type)), offset, reg);
}

static void print_carry_in(const struct combo *c, FILE *f)
{
    if (c->set_carry || c->use_carry)
        fputs("  add.cc.u32 %t, %cin, 0xffffffff;\n", f);
}

static void print_carry_out(const struct combo *c, FILE *f, int offset)
{
    if (c->set_carry)
        fprintf(f, "  addc.u32 %%t, 0, 0;\n  st.global.u32 [%%out+%d], %%t;\n", offset);
}

static void print_imm(FILE *f, uint8_t type, uint64_t v)
{
    int bits = 8 * ptx_type_size(type);
    if (type == T_F32)
        fprintf(f, "0f%08llx", (unsigned long long)v);
    else if (type == T_F64)
        fprintf(f, "0d%016llx", (unsigned long long)v);
    else if (ptx_type_class(type) == 's')
        fprintf(f, "%lld", (long long)(v << (64 - bits)) >> (64 - bits));
    else
        fprintf(f, "0x%llx", (unsigned long long)v);
}

void kernel_print_header(FILE *f)
{
    fputs(".version 8.3\n.target sm_90\n.address_size 64\n", f);
}

static void print_prologue(int index, FILE *f)
{
    fprintf(f, ".visible .entry k%d(.param .u64 pin, .param .u64 pout)\n{\n", index);
    fputs("  .reg .b16 %h<16>; .reg .b32 %r<16>, %t, %cin; .reg .b64 %d<16>, %w, %in, %out;\n"
          "  .reg .pred %p<16>, %g;\n"
          "  mov.u32 %t, %ctaid.x;\n  mov.u32 %r0, %ntid.x;\n  mov.u32 %r1, %tid.x;\n"
          "  mad.lo.u32 %t, %t, %r0, %r1;\n  mul.wide.u32 %w, %t, 64;\n  ld.param.u64 %in, [pin];\n"
          "  add.u64 %in, %in, %w;\n  ld.param.u64 %out, [pout];\n  add.u64 %out, %out, %w;\n"
          "  ld.global.u64 %w, [%in+40];\n  setp.ne.u64 %g, %w, 0;\n  ld.global.u32 %cin, [%in+32];\n",
          f);
}

/* Register number n of the class of a type. */
static const char *reg(char *buf, uint8_t type, int n)
{
    sprintf(buf, "%%%c%d", combo_class(type), n);
    return buf;
}

void kernel_print(const struct combo *c, int index, uint64_t imm, FILE *f)
{
    char names[4][8], d[8], copy[8], constant[32] = "";
    const char *src[4], *q = c->pair ? "%p15" : NULL;
    print_prologue(index, f);
    for (int i = 0; i < c->nsrc; i++) {
        src[i] = reg(names[i], c->src_type[i], i);
        print_load(f, c->src_type[i], src[i], 8 * i);
    }
    reg(d, c->dst_type, 10);
    print_load(f, c->dst_type, d, 48);
    if (q)
        print_load(f, T_PRED, q, 48);
    print_carry_in(c, f);
    fputs("  @%g ", f);
    combo_print_inst(c, f, d, q, src);
    print_carry_out(c, f, 8);
    print_store(f, c->dst_type, d, 0);
    if (q)
        print_store(f, T_PRED, q, 8);
    int k = kernel_alias_source(c);
    if (k >= 0) {
        const char *own = src[k];
        reg(copy, c->dst_type, 12);
        src[k] = copy;
        print_load(f, c->src_type[k], copy, 8 * k);
        print_carry_in(c, f);
        fputs("  ", f);
        combo_print_inst(c, f, copy, NULL, src);
        print_store(f, c->dst_type, copy, 32);
        src[k] = own;
    }
    k = kernel_imm_source(c);
    if (k >= 0) {
        FILE *g = fmemopen(constant, sizeof constant, "w");
        print_imm(g, c->src_type[k], imm);
        fclose(g);
        const char *own = src[k];
        src[k] = constant;
        reg(copy, c->dst_type, 13);
        print_carry_in(c, f);
        fputs("  ", f);
        combo_print_inst(c, f, copy, q, src);
        print_store(f, c->dst_type, copy, 40);
        src[k] = own;
    }
    reg(d, c->dst_type, 11);
    print_carry_in(c, f);
    fputs("  ", f);
    combo_print_inst(c, f, d, q, src);
    print_carry_out(c, f, 24);
    print_store(f, c->dst_type, d, 16);
    if (q)
        print_store(f, T_PRED, q, 24);
    fputs("  ret;\n}\n", f);
}
