/* `simtx ptx`: checks, descriptions and disassembly of PTX files, and tables of the instructions. */
#include "frontend/cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "frontend/lib/simtx.h"

static const char COMMAND[] = "simtx ptx";
static const char USAGE[] =
    "usage: simtx ptx check [--part] FILE ... report everything that simtx cannot run, with line and column\n"
    "       simtx ptx info [--json] FILE ...  kernels with registers, shared, local and parameter sizes\n"
    "       simtx ptx list FILE ...           disassembly with the reconvergence points of diverged lanes\n"
    "       simtx ptx ops [--markdown]        every supported instruction with types and modifiers\n"
    "       simtx ptx classes [--markdown]    timing mode: pipeline and latency class of the arithmetic instructions\n";

enum { OPT_JSON, OPT_MARKDOWN, OPT_PART, OPT_COMBINED, OPT_IF_CONVERTED, OPT_SCHEDULED };
static const struct cmd_option OPTIONS[] = {
    [OPT_JSON] = { "--json", NULL, "info: as JSON" },
    [OPT_MARKDOWN] = { "--markdown", NULL, "ops, classes: as a table for the manual" },
    [OPT_PART] = { "--part", NULL, "check: the file may refer to functions and variables of other files" },
    [OPT_COMBINED] = { "--combined", NULL, "info, list: with gpu.combine_accesses = true" },
    [OPT_IF_CONVERTED] = { "--if-converted", NULL, "info, list: with gpu.if_conversion = true" },
    [OPT_SCHEDULED] = { "--scheduled", NULL, "info, list: with gpu.instruction_order = scheduled" },
    { NULL, NULL, NULL }
};

enum what { CHECK, INFO, LIST, OPS, CLASSES, WHATS };
static const char *const names[] = { "check", "info", "list", "ops", "classes" };

static int print_text(char *text)
{
    if (text)
        fputs(text, stdout);
    if (text && *text && text[strlen(text) - 1] != '\n')
        putchar('\n');
    int status = text ? CMD_OK : CMD_PTX;
    free(text);
    return status;
}

static int do_file(enum what what, const char *path, bool json, bool part, unsigned changes)
{
    size_t size = 0;
    char *message = NULL, *text = cmd_read_ptx(COMMAND, path, &size);
    int status = CMD_OK;
    if (!text)
        return CMD_USAGE;
    if (what == CHECK && part)
        status = simtx_ptx_check_part(text, size, path, &message) ? CMD_PTX : CMD_OK;
    else if (what == CHECK)
        status = simtx_ptx_check(text, size, path, &message) ? CMD_PTX : CMD_OK;
    else if (what == INFO)
        status = print_text(simtx_ptx_info(text, size, path, changes, json, &message));
    else
        status = print_text(simtx_ptx_list(text, size, path, changes, &message));
    if (message)
        fputs(message, stderr);
    if (what == CHECK && status == CMD_OK)
        printf("%s: ok\n", path);
    free(message);
    free(text);
    return status;
}

static enum what find_what(const char *word)
{
    for (int i = 0; i < WHATS; i++)
        if (!strcmp(names[i], word))
            return (enum what)i;
    const char *near = diag_nearest(word, names, WHATS);
    cmd_usage_error(COMMAND, "unknown command '%s'%s%s%s", word, near ? ", did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
}

int cmd_ptx(int argc, char **argv)
{
    struct cmd_args a = { COMMAND, USAGE, OPTIONS, false, false, argc, 1, argv, NULL };
    char **words = mem_zero((size_t)argc + 1, sizeof *words, "the words of the command");
    bool json = false, markdown = false, part = false;
    unsigned changes = 0;
    int n = 0, which, status = CMD_OK;
    while ((which = cmd_args_next(&a)) != CMD_ARG_END) {
        if (which == CMD_ARG_WORD)
            words[n++] = (char *)a.value;
        json |= which == OPT_JSON;
        part |= which == OPT_PART;
        changes |= which == OPT_COMBINED ? SIMTX_PTX_COMBINED : which == OPT_IF_CONVERTED ? SIMTX_PTX_IF_CONVERTED
                 : which == OPT_SCHEDULED ? SIMTX_PTX_SCHEDULED : 0;
        markdown |= which == OPT_MARKDOWN;
    }
    if (!n)
        cmd_usage_error(COMMAND, "no command given: check, info, list, ops or classes");
    enum what what = find_what(words[0]);
    bool table = what == OPS || what == CLASSES;
    if (table && n > 1)
        cmd_usage_error(COMMAND, "%s takes no file", words[0]);
    if (!table && n < 2)
        cmd_usage_error(COMMAND, "%s: no file given", words[0]);
    if (table)
        status = print_text(what == OPS ? simtx_ptx_ops(markdown) : simtx_ptx_classes(markdown));
    for (int i = 1; i < n; i++) {
        int s = do_file(what, words[i], json, part, changes);
        status = s > status ? s : status;
    }
    free(words);
    return status;
}
