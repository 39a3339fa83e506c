/*
 * Conformance: every combination of the instruction table runs on edge-case and random operands, on every
 * vector width of this machine, and is compared with the reference (ref.h). Rows without lanes of their own
 * (memory, control) are covered by behaviour tests (behave.c). A row with neither is a failure.
 *
 *   conformance [--vectors N] [--hash FILE] [--only TEXT] [--seed N] [--part I/N] [--reports N]
 *
 * --part 0/4 runs the first quarter of the tests; the parts may run side by side.
 * --only behaviour runs the behaviour tests alone; CONFORMANCE_SHOW=1 prints the kernel of one that fails.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "regress/conformance/behave/behave.h"
#include "regress/conformance/device.h"
#include "regress/conformance/kernel_text.h"
#include "regress/conformance/ref/ref_fp.h"
#include "regress/conformance/values.h"

enum {
    PER_MODULE = 96,
    MAX_DEVICES = 4,
    MAX_VECTORS = 65536,
    BLOCK = 250,
    IMM_CHECKED = BLOCK,
    REPORTS = 40
};

struct run {
    struct device dev[MAX_DEVICES];
    int ndev;
    int vectors;                                 /* a combination, where it is not exhaustive */
    uint64_t seed;
    const char *only;
    int part, parts;
    int most;                                    /* failures that are printed */
    struct record_in *in;
    struct ref_result *want;
    void *dev_in[MAX_DEVICES], *dev_out[MAX_DEVICES];
    simtx_module *module[MAX_DEVICES];
    long passed, failed, total_vectors, exhaustive;
    int reports;
};

static void *need(void *p)
{
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return p;
}

/* One source of 16 bits, alone or as both halves of a pair: all its values are tried. */
static bool is_exhaustive(const struct combo *c)
{
    uint8_t t = c->src_type[0], half = ref_half_of(t) ? ref_half_of(t) : t;
    return c->nsrc == 1 && (half == T_F16 || half == T_BF16 || t == T_E4M3X2 || t == T_E5M2X2);
}

static uint64_t exhaustive_value(uint8_t type, uint32_t i)
{
    return ref_half_of(type) ? i | (uint64_t)((i * 0x9e35 + 0x1234) & 0xffff) << 16 : i;
}

/* Operand j of vector i: first all pairs of edges of the first two operands, then picks. */
static uint64_t operand_value(const struct combo *c, int j, int i, struct values_random *r)
{
    uint8_t t = c->src_type[j];
    if (is_exhaustive(c))
        return exhaustive_value(t, (uint32_t)i);
    int n0 = values_edges(c->src_type[0]), n1 = c->nsrc > 1 ? values_edges(c->src_type[1]) : 1;
    if (j == 0 && c->nsrc == 1 && i < n0)
        return values_edge(t, i);
    if (j == 0 && c->nsrc > 1 && i % 2)          /* a walk through the pairs, half of the vectors */
        return values_edge(t, (int)((long)i / 2 * 37 % ((long)n0 * n1) % n0));
    if (j == 1 && i % 2)
        return values_edge(t, (int)((long)i / 2 * 37 % ((long)n0 * n1) / n0));
    uint64_t v = values_pick(t, r);
    if (t == T_U32 && j >= 1 && c->src_type[j] != c->src_type[0] && values_next(r) % 2)
        v = values_next(r) % 70;                 /* shift amounts and positions */
    if (j == 1 && t == c->src_type[0] && values_next(r) % 8 == 0)
        v = i ? v : 0;
    return v;
}

static uint32_t guard_mask(struct values_random *r)
{
    uint32_t m = (uint32_t)values_next(r);
    switch (values_next(r) % 6) {
    case 0: return 0;
    case 1: return 1u << m % 32;
    case 2: return 0x55555555;
    case 3: return ~(1u << m % 32);
    default: return m;
    }
}

static int fill_inputs(struct run *run, const struct combo *c, uint64_t seed)
{
    struct values_random r = { seed };
    int n = is_exhaustive(c) ? 65536 : run->vectors;
    uint32_t mask = 0;
    for (int i = 0; i < n; i++) {
        struct record_in *in = &run->in[i];
        memset(in, 0, sizeof *in);
        for (int j = 0; j < c->nsrc; j++) {
            uint64_t garbage = c->src_type[j] == T_PRED
                                   ? 0
                                   : values_next(&r) & ~ref_mask(ref_bits_of(c->src_type[j]));
            in->src[j] = operand_value(c, j, i, &r) | garbage;
        }
        if (c->in.op == OP_FNS)
            in->src[1] &= 31;                    /* a base beyond the word is undefined */
        if (c->nsrc > 1 && values_next(&r) % 16 == 0 && c->src_type[1] == c->src_type[0])
            in->src[1] = in->src[0];
        in->carry = values_next(&r) & 1;
        if (i % 32 == 0)
            mask = guard_mask(&r);
        in->guard = mask >> i % 32 & 1;
        in->sentinel = values_next(&r);
        if (c->dst_type == T_PRED)
            in->sentinel &= 1;
    }
    return n;
}

static struct ref_lane lane_of(const struct combo *c, const struct record_in *in)
{
    struct ref_lane l = { .carry = in->carry };
    for (int j = 0; j < c->nsrc; j++)
        l.src[j] = in->src[j] & ref_mask(ref_bits_of(c->src_type[j]));
    return l;
}

static int dst_bits(const struct combo *c)
{
    char class = combo_class(c->dst_type);
    return class == 'p' ? 1 : class == 'h' ? 16 : class == 'r' ? 32 : 64;
}

/* An approximate result lies in its interval; of a packed pair only exact halves are compared here. */
static bool right(const struct combo *c, const struct ref_result *want, uint64_t got)
{
    if (!want->approx)
        return got == want->d;
    if (fp_is_nan(c->dst_type, got))
        return false;
    if (c->dst_type == T_F64 && c->in.mod[PG_FTZ] && (uint32_t)got)
        return false;
    double v = fp_to_double(c->dst_type, got);
    return v >= want->low && v <= want->high;
}

/* Approximate instructions on pairs: each half by itself. */
static bool right_pair(const struct combo *c, const struct ref_lane *l, uint64_t got)
{
    struct combo half = *c;
    half.in.type[0] = half.dst_type = ref_half_of(c->in.type[0]);
    for (int h = 0; h < 2; h++) {
        struct ref_lane part = { .src = { l->src[0] >> 16 * h & 0xffff } };
        struct ref_result r;
        if (!ref_eval(&half.in, &part, &r) || !right(&half, &r, got >> 16 * h & 0xffff))
            return false;
    }
    return true;
}

static bool same(const struct combo *c, const struct ref_lane *l, const struct ref_result *want, uint64_t got)
{
    if (c->in.mod[PG_APPROX] && ref_half_of(c->in.type[0]))
        return right_pair(c, l, got);
    return right(c, want, got);
}

static void report(struct run *run, const struct combo *c, const struct device *dev, int i, const char *way,
                   const struct ref_lane *l, const struct ref_result *want, uint64_t got, const char *which)
{
    static const char *const dst = "d", *const q = "q", *const src[] = { "a", "b", "c", "e" };
    if (run->reports++ >= run->most)
        return;
    printf("FAILED (%s, %d lanes, vector %d, %s): ", dev->isa, dev->warp_size, i, way);
    combo_print_inst(c, stdout, dst, c->pair ? q : NULL, src);
    for (int j = 0; j < c->nsrc; j++)
        printf("    %s = 0x%llx\n", src[j], (unsigned long long)l->src[j]);
    if (c->use_carry)
        printf("    carry in %d\n", l->carry);
    if (want->approx)
        printf("    %s: got 0x%llx, expected %a to %a\n", which, (unsigned long long)got, want->low,
               want->high);
    else
        printf("    %s: got 0x%llx, expected 0x%llx\n", which, (unsigned long long)got,
               (unsigned long long)(*which == 'd' ? want->d : which[0] == 'q' ? want->q : want->carry));
}

struct verdict { const char *way, *which; uint64_t got; };

static bool check_lane(const struct combo *c, const struct record_in *in, const struct record_out *out,
                       const struct ref_lane *l, const struct ref_result *want, struct verdict *v)
{
    uint64_t old = in->sentinel & ref_mask(dst_bits(c));
    if (in->guard ? !same(c, l, want, out->guarded) : out->guarded != old)
        return *v = (struct verdict){ in->guard ? "guard true" : "guard false", "d", out->guarded }, false;
    if (!same(c, l, want, out->plain))
        return *v = (struct verdict){ "all lanes", "d", out->plain }, false;
    if (kernel_alias_source(c) >= 0 && !same(c, l, want, out->alias))
        return *v = (struct verdict){ "destination is a source", "d", out->alias }, false;
    if (c->pair && out->guarded_q != (in->guard ? want->q : in->sentinel != 0))
        return *v = (struct verdict){ "guarded", "q", out->guarded_q }, false;
    if (c->pair && out->plain_q != want->q)
        return *v = (struct verdict){ "all lanes", "q", out->plain_q }, false;
    if (c->set_carry && out->guarded_q != (in->guard ? want->carry : in->carry))
        return *v = (struct verdict){ "guarded", "carry", out->guarded_q }, false;
    if (c->set_carry && out->plain_q != want->carry)
        return *v = (struct verdict){ "all lanes", "carry", out->plain_q }, false;
    return true;
}

static bool check_imm(const struct combo *c, const struct record_in *in, const struct record_out *out,
                      uint64_t imm, struct ref_lane *l, struct ref_result *want, struct verdict *v)
{
    int k = kernel_imm_source(c);
    if (k < 0)
        return true;
    *l = lane_of(c, in);
    l->src[k] = imm;
    *v = (struct verdict){ "constant operand", "d", out->imm };
    return ref_eval(&c->in, l, want) && same(c, l, want, out->imm);
}

static bool launch(struct run *run, int d, int index, int n)
{
    char name[32];
    snprintf(name, sizeof name, "k%d", index);
    simtx_kernel *k = simtx_module_kernel(run->module[d], name);
    uint32_t block = n == 65536 ? 256 : BLOCK;
    const void *args[] = { &run->dev_in[d], &run->dev_out[d] };
    simtx_launch_params p = { .grid = { (uint32_t)n / block, 1, 1 }, .block = { block, 1, 1 }, .args = args };
    memcpy(run->dev_in[d], run->in, (size_t)n * sizeof *run->in);
    memset(run->dev_out[d], 0, (size_t)n * sizeof(struct record_out));
    if (simtx_launch(k, &p, NULL, NULL)) {
        printf("FAILED: launch: %s\n", simtx_last_message(run->dev[d].gpu));
        return false;
    }
    return true;
}

static bool check_device(struct run *run, const struct combo *c, int d, int n, uint64_t imm, bool quiet)
{
    const struct record_out *out = run->dev_out[d];
    for (int i = 0; i < n; i++) {
        struct verdict v;
        struct ref_lane l = lane_of(c, &run->in[i]);
        struct ref_result w = run->want[i];
        if (!check_lane(c, &run->in[i], &out[i], &l, &w, &v) ||
            (i < IMM_CHECKED && !check_imm(c, &run->in[i], &out[i], imm, &l, &w, &v))) {
            if (!quiet)
                report(run, c, &run->dev[d], i, v.way, &l, &w, v.got, v.which);
            return false;
        }
    }
    run->dev[d].hash = hash_bytes(run->dev[d].hash, out, (size_t)n * sizeof *out);
    return true;
}

static uint64_t imm_of(const struct combo *c, uint64_t seed)
{
    struct values_random r = { seed ^ 0x1234567 };
    int k = kernel_imm_source(c);
    return k < 0
               ? 0
               : values_edge(c->src_type[k], (int)(values_next(&r) % (uint64_t)values_edges(c->src_type[k])));
}

static bool run_combo(struct run *run, const struct combo *c, int index)
{
    uint64_t seed = run->seed * 1000003 + (uint64_t)index, imm = imm_of(c, seed);
    int n = fill_inputs(run, c, seed);
    for (int i = 0; i < n; i++) {
        struct ref_lane l = lane_of(c, &run->in[i]);
        if (!ref_eval(&c->in, &l, &run->want[i])) {
            printf("FAILED: the reference does not know ");
            combo_print_name(c, stdout);
            printf("\n");
            return false;
        }
    }
    bool ok = true;
    for (int d = 0; d < run->ndev; d++)
        ok = launch(run, d, index, n) && check_device(run, c, d, n, imm, !ok) && ok;
    run->total_vectors += n;
    run->exhaustive += is_exhaustive(c);
    return ok;
}

static bool load(struct run *run, const struct combo_list *list, int first, int last)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = need(open_memstream(&text, &len));
    kernel_print_header(f);
    for (int i = first; i < last; i++)
        kernel_print(&list->at[i], i, imm_of(&list->at[i], run->seed * 1000003 + (uint64_t)i), f);
    fclose(f);
    bool ok = true;
    for (int d = 0; d < run->ndev && ok; d++) {
        ok = !simtx_module_load(run->dev[d].gpu, text, len, "combinations", &run->module[d]);
        if (!ok && last == first + 1) {
            printf("FAILED: ");
            combo_print_name(&list->at[first], stdout);
            printf(": %s\n", simtx_last_message(run->dev[d].gpu));
        }
        if (!ok)
            while (d-- > 0)
                simtx_module_unload(run->module[d]);
    }
    free(text);
    return ok;
}

/* A module that does not load is tried one combination at a time, so that one refusal does not hide the
 * others. */
static void run_range(struct run *run, const struct combo_list *list, int first, int last)
{
    if (!load(run, list, first, last)) {
        if (last == first + 1)
            run->failed++;
        for (int i = first; i < last && last > first + 1; i++)
            run_range(run, list, i, i + 1);
        return;
    }
    for (int i = first; i < last; i++) {
        bool ok = run_combo(run, &list->at[i], i);
        run->passed += ok;
        run->failed += !ok;
    }
    for (int d = 0; d < run->ndev; d++)
        simtx_module_unload(run->module[d]);
}

static void keep_only(struct combo_list *list, const char *only)
{
    int n = 0;
    for (int i = 0; i < list->n; i++) {
        char name[128] = "";
        FILE *f = need(fmemopen(name, sizeof name, "w"));
        combo_print_name(&list->at[i], f);
        fclose(f);
        if (strstr(name, only))
            list->at[n++] = list->at[i];
    }
    list->n = n;
}

/* Every FORM row has a combination with vectors or an instruction in a behaviour test. */
static int uncovered_rows(const struct combo_list *list, const bool *behaved)
{
    int missing = 0;
    for (int f = 0; f < ptx_form_count; f++) {
        bool found = behaved[f];
        for (int i = 0; i < list->n && !found; i++)
            found = list->at[i].form == &ptx_forms[f];
        if (!found)
            printf("FAILED: row %d of the table (%s) has no test\n", f, ptx_ops[ptx_forms[f].op].text);
        missing += !found;
    }
    return missing;
}

static void write_hash(const struct run *run, const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        exit(2);
    }
    for (int d = 0; d < run->ndev; d++)
        fprintf(f, "%s %d %016llx\n", run->dev[d].isa, run->dev[d].warp_size,
                (unsigned long long)run->dev[d].hash);
    fclose(f);
}

int main(int argc, char **argv)
{
    struct run run = { .vectors = 1000, .seed = 1, .parts = 1, .most = REPORTS };
    const char *hash_path = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--vectors"))
            run.vectors = atoi(argv[i + 1]) / BLOCK * BLOCK;
        else if (!strcmp(argv[i], "--hash"))
            hash_path = argv[i + 1];
        else if (!strcmp(argv[i], "--only"))
            run.only = argv[i + 1];
        else if (!strcmp(argv[i], "--seed"))
            run.seed = strtoull(argv[i + 1], NULL, 0);
        else if (!strcmp(argv[i], "--reports"))
            run.most = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--part") && sscanf(argv[i + 1], "%d/%d", &run.part, &run.parts) != 2)
            need(NULL);
    }
    if (run.vectors < BLOCK || run.vectors > MAX_VECTORS)
        run.vectors = run.vectors < BLOCK ? BLOCK : MAX_VECTORS / BLOCK * BLOCK;
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct combo_list list = { 0 };
    combo_list_build(&list);
    bool *behaved = need(calloc((size_t)ptx_form_count, sizeof *behaved));
    run.ndev = device_open(run.dev, MAX_DEVICES, 0, "stack");
    run.in = need(calloc(MAX_VECTORS, sizeof *run.in));
    run.want = need(calloc(MAX_VECTORS, sizeof *run.want));
    for (int d = 0; d < run.ndev; d++)
        if (simtx_malloc(run.dev[d].gpu, MAX_VECTORS * sizeof *run.in, SIMTX_MEM_DEVICE, &run.dev_in[d]) ||
            simtx_malloc(run.dev[d].gpu, MAX_VECTORS * sizeof(struct record_out), SIMTX_MEM_DEVICE,
                         &run.dev_out[d]))
            need(NULL);
    if (run.only)
        keep_only(&list, run.only);
    for (int i = run.part * PER_MODULE; i < list.n; i += run.parts * PER_MODULE)
        run_range(&run, &list, i, i + PER_MODULE < list.n ? i + PER_MODULE : list.n);
    if (!run.only || !strcmp(run.only, "behaviour")) {
        struct device dev[2 * MAX_DEVICES + 2];
        memcpy(dev, run.dev, sizeof run.dev);
        int more = device_open(dev + run.ndev, MAX_DEVICES, run.ndev, "independent");
        more += device_open_timed(dev + run.ndev + more, run.ndev + more, "stack");
        more += device_open_timed(dev + run.ndev + more, run.ndev + more, "independent");
        struct behave_count b = behave_run(dev, run.ndev + more, behaved, run.part, run.parts);
        device_close(dev + run.ndev, more);
        run.passed += b.passed;
        run.failed += b.failed + (run.only || run.parts > 1 ? 0 : uncovered_rows(&list, behaved));
        printf("behaviour tests: %d on %d GPUs, %d that only simulated GPUs can run\n", b.passed + b.failed,
               run.ndev + more, b.skipped);
    }
    for (int d = 1; d < run.ndev; d++)
        if (run.dev[d].hash != run.dev[0].hash && !run.failed++)
            printf("FAILED: %s (%d lanes) gives other bits than %s\n", run.dev[d].isa, run.dev[d].warp_size,
                   run.dev[0].isa);
    if (hash_path)
        write_hash(&run, hash_path);
    printf("vectors: %ld in %d combinations of %d table rows, %ld exhaustive, on %d GPUs; hash %016llx\n",
           run.total_vectors, list.n, ptx_form_count, run.exhaustive, run.ndev,
           (unsigned long long)run.dev[0].hash);
    device_close(run.dev, run.ndev);
    free(list.at);
    free(behaved);
    free(run.in);
    free(run.want);
    mpfr_free_cache();
    printf("conformance: %ld passed, %ld failed\n", run.passed, run.failed);
    return run.failed != 0;
}
