/* `simtx report`: a page about statistics files. */
#include "frontend/cli/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/report/report.h"
#include "frontend/session/atomic_file.h"

static const char COMMAND[] = "simtx report";
static const char USAGE[] =
    "usage: simtx report [options] FILE... -o PAGE.html\n\n"
    "Writes a page about statistics files (--stats) that needs no other file: where the cycles went, latency of\n"
    "requests, occupancy over time, caches and DRAM, roofline, transactions, energy. Of two files the differences,\n"
    "too, the largest first; of more, a table of the runs. A folder stands for the statistics files in it.\n\n"
    "    simtx run --timing --config gtx480 --stats a.json --window 1000,a.csv -- ./app\n"
    "    simtx report a.json -o a.html\n";

enum { OPT_OUT, OPT_SERIES, OPT_TITLE };
static const struct cmd_option OPTIONS[] = {
    [OPT_OUT] = { "-o", "FILE", "the page (report.html)" },
    [OPT_SERIES] = { "--series", "FILE", "time series (--window) of the file before; found by itself beside it" },
    [OPT_TITLE] = { "--title", "TEXT", "heading of the page" },
    { NULL, NULL, NULL }
};

static void add(struct report *r, const char *path)
{
    char error[600];
    if (!report_add(r, path, error, sizeof error))
        cmd_usage_error(COMMAND, "%s", error);
}

static void add_series(struct report_run *run, const char *path)
{
    char error[600];
    if (!report_read_series(run, path, error, sizeof error))
        cmd_usage_error(COMMAND, "%s", error);
}

static int write_page(const struct report *r, const char *title, const char *path)
{
    struct atomic_file page;
    bool ok = atomic_file_open(&page, path);
    if (ok) {
        report_page(r, title, page.file);
        ok = atomic_file_close(&page, !ferror(page.file));
    }
    if (!ok)
        fprintf(stderr, "%s: cannot write %s: %s\n", COMMAND, path, strerror(errno));
    return ok ? CMD_OK : CMD_FAILED;
}

static char *title_of(const struct report *r)
{
    if (r->n == 1)
        return mem_format("simtx: %s", r->run[0].name);
    return r->n == 2 ? mem_format("simtx: %s and %s", r->run[0].name, r->run[1].name)
                     : mem_format("simtx: %u runs", r->n);
}

int cmd_report(int argc, char **argv)
{
    struct cmd_args args = { COMMAND, USAGE, OPTIONS, false, false, argc, 1, argv, NULL };
    struct report r = { 0 };
    const char *out = "report.html";
    char *title = NULL;
    int which;
    while ((which = cmd_args_next(&args)) != CMD_ARG_END) {
        if (which == CMD_ARG_WORD)
            add(&r, args.value);
        else if (which == OPT_OUT)
            out = args.value;
        else if (which == OPT_SERIES && !r.n)
            cmd_usage_error(COMMAND, "--series %s: expected after its statistics file", args.value);
        else if (which == OPT_SERIES)
            add_series(&r.run[r.n - 1], args.value);
        else if (which == OPT_TITLE) {
            free(title);
            title = mem_string(args.value);
        }
    }
    if (!r.n)
        cmd_usage_error(COMMAND, "expected statistics files");
    for (uint32_t i = 0; i < r.n; i++)
        if (!r.run[i].series.n)
            add_series(&r.run[i], NULL);
    title = title ? title : title_of(&r);
    int code = write_page(&r, title, out);
    free(title);
    report_free(&r);
    return code;
}
