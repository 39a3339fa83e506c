/* `simtx profile`: a profile by source line, as a table or a page. */
#include "frontend/cli/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/session/atomic_file.h"
#include "frontend/profile_view/view.h"

static const char COMMAND[] = "simtx profile";
static const char USAGE[] =
    "usage: simtx profile FILE [options]\n"
    "       simtx profile --figures [--markdown]\n\n"
    "Shows a profile that --profile wrote in timing mode, by source line: the lines with the most stalls first, with\n"
    "their cause. With -o it writes a page with the text of the source and, under each line, its PTX instructions.\n"
    "Compile with -lineinfo. The manual explains the columns.\n\n"
    "    simtx-cc -lineinfo app.cu -o app\n"
    "    simtx run --timing --config v100 --profile p.json -- ./app\n"
    "    simtx profile p.json -o p.html\n";

enum { OPT_OUT, OPT_KERNEL, OPT_ROWS, OPT_PTX, OPT_SOURCE, OPT_FIGURES, OPT_MARKDOWN };
static const struct cmd_option OPTIONS[] = {
    [OPT_OUT] = { "-o", "PAGE.html", "write a page" },
    [OPT_KERNEL] = { "--kernel", "NAME", "only kernels whose name contains NAME" },
    [OPT_ROWS] = { "--rows", "N", "rows of a table (20); 0 = all; not with -o" },
    [OPT_PTX] = { "--ptx", NULL, "a table of PTX instructions instead of lines; not with -o" },
    [OPT_SOURCE] = { "--source", "FOLDER", "with -o: also look for source files in this folder" },
    [OPT_FIGURES] = { "--figures", NULL, "list the figures that a profile has for an instruction" },
    [OPT_MARKDOWN] = { "--markdown", NULL, "with --figures: as a Markdown table" },
    { NULL, NULL, NULL }
};

struct wanted { const char *file, *out, *kernel, *folder; uint32_t rows; enum view_by by; };

static void print_figures(bool markdown)
{
    if (markdown)
        puts("| figure | unit | meaning |\n|---|---|---|");
    for (int i = 0; i < PROFILE_FIGURES; i++)
        printf(markdown ? "| `%s` | %s | %s |\n" : "%-22s %-20s %s\n", profile_table[i].name, profile_table[i].unit,
               profile_table[i].meaning);
}

static int write_page(const struct view_profile *p, const struct wanted *w)
{
    struct atomic_file page;
    char *title = mem_format("simtx: profile of %s", w->file);
    bool ok = atomic_file_open(&page, w->out);
    if (ok) {
        view_page(p, title, w->kernel, w->folder, page.file);
        ok = atomic_file_close(&page, !ferror(page.file));
    }
    if (!ok)
        fprintf(stderr, "%s: cannot write %s: %s\n", COMMAND, w->out, strerror(errno));
    free(title);
    return ok ? CMD_OK : CMD_FAILED;
}

static void print_tables(const struct view_profile *p, const struct wanted *w)
{
    const char *between = "";
    for (uint32_t i = 0; i < p->n; i++)
        if (view_selects(&p->kernel[i], w->kernel)) {
            fputs(between, stdout);
            view_table(p, &p->kernel[i], w->by, w->rows, stdout);
            between = "\n";
        }
}

static bool has_kernel(const struct view_profile *p, const char *name)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (view_selects(&p->kernel[i], name))
            return true;
    return false;
}

static int show(const struct wanted *w)
{
    struct view_profile p;
    char error[600];
    int status = CMD_OK;
    if (!view_read(&p, w->file, error, sizeof error))
        cmd_usage_error(COMMAND, "%s", error);
    if (!has_kernel(&p, w->kernel))
        cmd_usage_error(COMMAND, w->kernel ? "%s has no kernel with '%s' in its name"
                                           : "%s has no kernel: none ran in timing mode", w->file, w->kernel);
    if (w->out)
        status = write_page(&p, w);
    else
        print_tables(&p, w);
    view_free(&p);
    return status;
}

int cmd_profile(int argc, char **argv)
{
    struct cmd_args args = { COMMAND, USAGE, OPTIONS, false, false, argc, 1, argv, NULL };
    struct wanted w = { .rows = 20 };
    bool figures = false, markdown = false;
    int which;
    while ((which = cmd_args_next(&args)) != CMD_ARG_END)
        switch (which) {
        case OPT_OUT: w.out = args.value; break;
        case OPT_KERNEL: w.kernel = args.value; break;
        case OPT_ROWS: w.rows = (uint32_t)cmd_number(COMMAND, "--rows", args.value, UINT32_MAX); break;
        case OPT_PTX: w.by = VIEW_BY_INSTRUCTION; break;
        case OPT_SOURCE: w.folder = args.value; break;
        case OPT_FIGURES: figures = true; break;
        case OPT_MARKDOWN: markdown = true; break;
        default:
            if (w.file)
                cmd_usage_error(COMMAND, "one profile at a time: %s and %s", w.file, args.value);
            w.file = args.value;
        }
    if (markdown && !figures)
        cmd_usage_error(COMMAND, "--markdown is for --figures");
    if (figures && w.file)
        cmd_usage_error(COMMAND, "--figures lists what profiles have; it reads no file");
    if (figures) {
        print_figures(markdown);
        return CMD_OK;
    }
    if (!w.file)
        cmd_usage_error(COMMAND, "expected the FILE that --profile wrote");
    return show(&w);
}
