/*
 * FOLDER/slurm/N.json: the runs of a submission with commands and keys, and the batch's limits. The digest of the
 * simulator is in it, too: keys would be wrong if simtx was built anew between the submission and the run.
 */
#include "frontend/sweep/slurm_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/session/atomic_file.h"

/* NULL: a word is not UTF-8. */
static json_t *words_json(char *const *words)
{
    json_t *list = json_array();
    for (; *words; words++)
        if (json_array_append_new(list, json_string(*words))) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *simulator_json(void)
{
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, batch_simulator());
    return json_string(text);
}

/* The runs to do; NULL with a message. */
static json_t *runs_json(const struct batch *b)
{
    json_t *runs = json_array();
    for (int i = 0; i < b->nruns; i++) {
        const struct batch_run *run = &b->runs[i];
        if (!run->wanted || run->state != BATCH_WAITING)
            continue;
        json_t *words = words_json(run->argv);
        json_t *o = words ? json_pack("{s:s, s:s, s:o}", "name", run->name, "key", run->key, "argv", words) : NULL;
        if (json_array_append_new(runs, o)) {
            fprintf(stderr, "%s: run %s has a word that is not UTF-8\n", b->command, run->name);
            json_decref(runs);
            return NULL;
        }
    }
    return runs;
}

int slurm_plan_write(const struct batch *b, const char *path)
{
    json_t *runs = runs_json(b), *root;
    struct atomic_file r;
    if (!runs)
        return -1;
    int n = (int)json_array_size(runs);
    root = json_pack("{s:o, s:s, s:I, s:I, s:o}", "simulator", simulator_json(), "folder", b->folder, "cpu_seconds",
                     (json_int_t)b->cpu_seconds, "memory", (json_int_t)b->memory, "runs", runs);
    bool ok = atomic_file_open(&r, path);
    if (ok)
        ok = atomic_file_close(&r, json_dumpf(root, r.file, JSON_INDENT(1)) == 0);
    if (!ok)
        fprintf(stderr, "%s: cannot write %s: %s\n", b->command, path, strerror(errno));
    json_decref(root);
    return ok ? n : -1;
}

static char **words_of(const json_t *list)
{
    char **words = mem_zero(json_array_size(list) + 1, sizeof *words, "the command of a run");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        words[i] = mem_string(word ? word : "");
    }
    return words;
}

static void read_run(struct batch *b, const json_t *o)
{
    const char *name = json_string_value(json_object_get(o, "name"));
    const char *key = json_string_value(json_object_get(o, "key"));
    if (!name || !key)
        return;
    b->runs[b->nruns++] = (struct batch_run){ .name = mem_string(name), .key = mem_string(key), .wanted = true,
                                              .argv = words_of(json_object_get(o, "argv")), .estimate = 1 };
}

bool slurm_plan_read(struct batch *b, const char *path, int first, int runs)
{
    json_t *root = json_load_file(path, 0, NULL), *list = json_object_get(root, "runs"), *simulator = simulator_json();
    const char *folder = json_string_value(json_object_get(root, "folder"));
    bool known = folder && json_equal(simulator, json_object_get(root, "simulator"));
    if (!folder)
        fprintf(stderr, "%s: %s is no plan of simtx; its folder must be visible on this node\n", b->command, path);
    else if (!known)
        fprintf(stderr, "%s: simtx was built anew after %s was submitted; remove the tasks with `simtx sweep cancel` "
                "and submit again\n", b->command, path);
    else
        b->folder = mem_string(folder);
    b->cpu_seconds = (uint64_t)json_integer_value(json_object_get(root, "cpu_seconds"));
    b->memory = (uint64_t)json_integer_value(json_object_get(root, "memory"));
    b->runs = mem_zero((size_t)runs, sizeof *b->runs, "the runs of a task");
    for (int i = 0; known && i < runs; i++)
        read_run(b, json_array_get(list, (size_t)(first + i)));
    json_decref(simulator);
    json_decref(root);
    return known;
}

void slurm_plan_free(struct batch *b)
{
    for (int i = 0; i < b->nruns; i++)
        batch_run_free(&b->runs[i]);
    free(b->runs);
    free((char *)b->folder);
}
