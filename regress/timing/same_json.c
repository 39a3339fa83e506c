/* Are two statistics files the same but for what depends on the host and the command? Prints the first difference.
 * Usage: same_json A B */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/drop_host.h"

static json_t *load(const char *path)
{
    json_error_t e;
    json_t *o = json_load_file(path, 0, &e);
    if (!o) {
        fprintf(stderr, "%s:%d: %s\n", path, e.line, e.text);
        exit(2);
    }
    return o;
}

static char *rest_of(const char *path)
{
    json_t *o = load(path);
    drop_host(o);
    json_object_del(o, "command");
    char *text = json_dumps(o, JSON_INDENT(1));
    json_decref(o);
    return text;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    char *a = rest_of(argv[1]), *b = rest_of(argv[2]);
    size_t i = 0, line = 0;
    while (a[i] && a[i] == b[i])
        if (a[i++] == '\n')
            line = i;
    bool same = !strcmp(a, b);
    if (!same)
        printf("%.*s | %.*s\n", (int)strcspn(a + line, "\n"), a + line, (int)strcspn(b + line, "\n"), b + line);
    free(a);
    free(b);
    return !same;
}
