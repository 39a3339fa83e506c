/*
 * Finder of stores whose bytes come late or never: what the second block sees, with fences, long after the first has
 * written x and then y. Arguments: y, x and x at the end as they must be with the fault; without it all are 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/mutants/finder.h"
#include "regress/witness/programs.h"

enum { SEEN = 40 };

static void message(char seen[SEEN])
{
    struct lab l;
    lab_open(&l, programs, (const char *const[]){ "dram.channels=1", NULL }, NULL);
    lab_run(&l, "message_membar", 2, (uint32_t[LAB_PARAMS]){ 0, 1, X, X + 64, 0, 100 });
    snprintf(seen, SEEN, "%u %u %u", l.seen[0], l.seen[1], l.words[X]);
    lab_close(&l);
}

int main(int argc, char **argv)
{
    struct finding found = { "", "", "1 run" };
    char seen[SEEN], due[SEEN] = "1 1 1", wrong[FINDING_TEXT];
    if (argc > 3)
        snprintf(due, sizeof due, "%s %s %s", argv[1], argv[2], argv[3]);
    message(seen);
    snprintf(found.where, FINDING_TEXT, "message_membar: y, x and x at the end are %s", seen);
    if (strcmp(seen, due)) {
        snprintf(wrong, sizeof wrong, "y, x and x at the end are %s, not %s", seen, due);
        return finder_tells_wrong(wrong);
    }
    if (argc > 3)
        snprintf(found.check, FINDING_TEXT, "the program's result");
    return finder_tells(&found);
}
