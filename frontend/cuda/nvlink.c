/* nvlink: the device link of separate compilation. It finds the objects and archive members with relocatable device
 * code, checks that their PTX links, and writes the list of their names for crt/link.stub. The runtime links the PTX
 * when the program runs, so the file that the real tool calls the cubin contains only a module without functions.
 *
 * From archives it takes the members that define what the others leave undefined. The remaining members are listed
 * too: the host linker may take them for their host code. */
#include "frontend/cuda/tool.h"

#include "base/words.h"
#include "frontend/cuda/link_inputs.h"
#include "ptx/program/program.h"

const char tool_name[] = "nvlink (simtx)";

static const char help[] =
    "nvlink (simtx): lists and checks relocatable device code; simtx-cc and CMake call this\n"
    "usage: nvlink [options] FILE.o FILE.a ... -LDIR -lNAME\n"
    "  --register-link-binaries=FILE   the list for crt/link.stub\n"
    "  -o FILE                         an empty module in place of the linked device code\n"
    "Options for the architecture, optimisation and debug information are accepted and have no effect.\n";

enum { MOST_DIRS = 256 };

struct request {
    const char *list, *output;
    const char *dir[MOST_DIRS];
    int dirs;
    struct words inputs;                 /* files and -lNAME, in their order */
    struct link_inputs in;
};

static const char *const provided[] = {"vprintf", "malloc", "free", "__assertfail",
                                       "cudaGraphSetConditional"};

static bool is_provided(const char *name)
{
    for (size_t i = 0; i < sizeof provided / sizeof *provided; i++)
        if (!strcmp(name, provided[i]))
            return true;
    return false;
}

static bool exports(const struct link_module *m, const char *name)
{
    for (int i = 0; i < m->images; i++) {
        const struct ptx_symbol *s = strmap_get(&m->parsed[i]->symbols, name, strlen(name));
        if (!s)
            continue;
        uint8_t linkage = s->kind == SYM_FUNC ? s->func->linkage : s->var->linkage;
        if (linkage == LINK_VISIBLE || linkage == LINK_WEAK || linkage == LINK_COMMON)
            return true;
    }
    return false;
}

static bool defined(const struct link_inputs *in, const char *name)
{
    for (int i = 0; i < in->n; i++)
        if (in->module[i].taken && exports(&in->module[i], name))
            return true;
    return false;
}

/* Takes the first archive member that defines the name. */
static bool take_for(struct link_inputs *in, const char *name)
{
    if (is_provided(name) || defined(in, name))
        return false;
    for (int i = 0; i < in->n; i++) {
        if (in->module[i].taken || !exports(&in->module[i], name))
            continue;
        in->module[i].taken = true;
        return true;
    }
    return false;
}

static bool take_externs(struct link_inputs *in, const struct ptx_module *m)
{
    bool taken = false;
    for (const struct ptx_var *v = m->vars; v; v = v->next)
        if (v->linkage == LINK_EXTERN && v->space != SP_SHARED)
            taken |= take_for(in, v->name);
    for (const struct ptx_func *f = m->funcs; f; f = f->next)
        if (f->linkage == LINK_EXTERN)
            taken |= take_for(in, f->name);
    return taken;
}

static void take_members(struct link_inputs *in)
{
    bool again = true;
    while (again) {
        again = false;
        for (int i = 0; i < in->n; i++)
            for (int k = 0; in->module[i].taken && k < in->module[i].images; k++)
                again |= take_externs(in, in->module[i].parsed[k]);
    }
}

/* Links the taken modules; consumes all parsed ones. */
static void check(struct link_inputs *in)
{
    struct diag d = {0};
    int n = 0;
    struct ptx_module **all = calloc((size_t)in->images + 1, sizeof *all);
    if (!all)
        tool_fail("out of memory");
    for (int i = 0; i < in->n; i++)
        for (int k = 0; k < in->module[i].images; k++) {
            if (in->module[i].taken)
                all[n++] = in->module[i].parsed[k];
            else
                ptx_module_free(in->module[i].parsed[k]);
        }
    struct ptx_module *linked = n ? ptx_link(all, n, &d) : NULL;
    if (d.text)
        fputs(d.text, stderr);
    if (n && !linked)
        tool_fail("the device code does not link");
    if (linked)
        ptx_module_free(linked);
    diag_free(&d);
    free(all);
}

static void write_list(const struct request *r)
{
    FILE *f = tool_create(r->list);
    for (int i = 0; i < r->in.n; i++)
        fprintf(f, "SIMTX_MODULE(%s)\n", r->in.module[i].id);
    for (int i = 0; i < r->in.n; i++)
        if (r->in.module[i].taken)
            fprintf(f, "SIMTX_NEEDED(%s)\n", r->in.module[i].id);
    tool_close(f, r->list);
}

static void write_output(const char *path)
{
    FILE *f = tool_create(path);
    fputs(".version 7.5\n.target sm_70\n.address_size 64\n", f);
    tool_close(f, path);
}

/* libNAME.a in the given folders; shared libraries contain no relocatable code. */
static void add_library(struct request *r, const char *name)
{
    char path[PATH_MAX];
    for (int i = 0; i < r->dirs; i++)
        if (snprintf(path, sizeof path, "%s/lib%s.a", r->dir[i], name) < PATH_MAX && access(path, R_OK) == 0) {
            link_inputs_add(&r->in, path);
            return;
        }
}

static void add_dir(struct request *r, const char *dir)
{
    if (r->dirs == MOST_DIRS)
        tool_fail("more than %d library folders", MOST_DIRS);
    r->dir[r->dirs++] = dir;
}

/* Options with their value in the next argument. */
static bool takes_value(const char *a)
{
    static const char *const names[] = {"-arch",          "--arch",     "-maxrregcount",
                                        "--maxrregcount", "--cpu-arch", "-cpu-arch"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(a, names[i]))
            return true;
    return false;
}

static void read_options(struct request *r, int argc, char **argv)
{
    const char *v;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        tool_information(a, help);
        if (tool_option(argv, argc, &i, "--register-link-binaries", &r->list) ||
            tool_option(argv, argc, &i, "-register-link-binaries", &r->list) ||
            tool_option(argv, argc, &i, "--output-file", &r->output) || tool_option(argv, argc, &i, "-o", &r->output))
            continue;
        if (tool_option(argv, argc, &i, "-L", &v) || tool_option(argv, argc, &i, "--library-path", &v))
            add_dir(r, v);
        else if (!strncmp(a, "-L", 2))
            add_dir(r, a + 2);
        else if (takes_value(a))
            i++;
        else if (!strncmp(a, "-l", 2) || a[0] != '-')
            words_add(&r->inputs, a);
    }
}

/* A folder of libraries counts for every -lNAME, also for one before it. */
static void add_inputs(struct request *r)
{
    for (uint32_t i = 0; i < r->inputs.n; i++)
        if (r->inputs.at[i][0] == '-')
            add_library(r, r->inputs.at[i] + 2);
        else
            link_inputs_add(&r->in, r->inputs.at[i]);
}

int main(int argc, char **argv)
{
    static struct request r;
    read_options(&r, argc, argv);
    if (!r.list && !r.output)
        tool_fail("nothing to write: give --register-link-binaries=FILE or -o FILE; try --help");
    add_inputs(&r);
    link_inputs_finish(&r.in);
    take_members(&r.in);
    check(&r.in);
    if (r.list)
        write_list(&r);
    if (r.output)
        write_output(r.output);
    link_inputs_free(&r.in);
    words_free(&r.inputs);
    return 0;
}
