/*
 * Slurm's commands. A submission writes the runs to FOLDER/slurm/N.json (slurm_plan.c), where a task (slurm_task.c)
 * reads its own. An array has at most MaxArraySize tasks, so a large batch is several. Tasks are requeued when their
 * node fails; what the first attempt has finished is not repeated. All arrays of a folder have one name, by which
 * squeue and scancel find them.
 */
#include "frontend/sweep/slurm.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/words.h"
#include "frontend/sweep/slurm_plan.h"

enum { ARRAY_DEFAULT = 1001 };           /* Slurm's default of MaxArraySize */

static char *job_name(const struct batch *b, const char *end)
{
    return mem_format("simtx-%016" PRIx64 "%s", batch_text_digest(b->folder), end);
}

/* The output of a shell command (malloc'ed); NULL when it has failed. */
static char *output_of(const char *command)
{
    char line[4096], *text = mem_string("");
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f))
        mem_append(&text, "%s", line);
    int status = f ? pclose(f) : -1;
    if (status == 0)
        return text;
    free(text);
    return NULL;
}

static bool is_installed(const struct batch *b)
{
    char *path = output_of("command -v sbatch");
    if (!path)
        fprintf(stderr, "%s: Slurm is not installed: there is no sbatch on PATH\n", b->command);
    bool found = path;
    free(path);
    return found;
}

/* ---- submission ---- */

static int max_array_size(void)
{
    static const char name[] = "MaxArraySize";
    char *text = output_of("scontrol show config 2>/dev/null"), *at = text ? strstr(text, name) : NULL;
    int size = at ? atoi(at + sizeof name - 1 + strspn(at + sizeof name - 1, " =")) : 0;
    free(text);
    return size > 0 ? size : ARRAY_DEFAULT;
}

/* FOLDER/slurm/N.json that does not exist. */
static char *plan_path(const struct batch *b)
{
    char *path = mem_format("%s/slurm", b->folder);
    mkdir(path, 0777);
    for (int i = 1;; i++) {
        free(path);
        path = mem_format("%s/slurm/%d.json", b->folder, i);
        if (access(path, F_OK))
            return path;
    }
}

/* The options of every job, up to what it runs. */
static void job_options(const struct backend *k, const struct batch *b, const char *end, FILE *f)
{
    char *name = job_name(b, end), *log = mem_format("%s/slurm/tasks.log", b->folder);
    fputs("sbatch --parsable --requeue --open-mode=append --ntasks=1 --job-name=", f);
    word_print_quoted(name, f);
    fputs(" --output=", f);
    word_print_quoted(log, f);
    if (k->partition) {
        fputs(" --partition=", f);
        word_print_quoted(k->partition, f);
    }
    if (k->sbatch)
        fprintf(f, " %s", k->sbatch);
    free(name);
    free(log);
}

/* exec SIMTX WORD ..., as one word for --wrap. */
static void print_wrapped(char *const *words, FILE *f)
{
    char *own = file_own_path(), *text;
    size_t size;
    FILE *line = mem_file(&text, &size);
    fputs("exec ", line);
    word_print_quoted(own, line);
    for (; *words; words++) {
        fputc(' ', line);
        word_print_quoted(*words, line);
    }
    fclose(line);
    fputs(" --wrap ", f);
    word_print_quoted(text, f);
    free(text);
    free(own);
}

/* Runs sbatch; the job's number (malloc'ed), NULL after a message. */
static char *submit(const struct batch *b, char *command)
{
    char *id = output_of(command);
    if (!id)
        fprintf(stderr, "%s: sbatch has failed: %s\n", b->command, command);
    else
        id[strcspn(id, ";\n")] = 0;
    free(command);
    return id;
}

static char *submit_array(const struct backend *k, const struct batch *b, const char *plan, int first, int tasks)
{
    char *command, *from = mem_format("%d", first), *runs = mem_format("%d", k->task_runs);
    size_t size;
    FILE *f = mem_file(&command, &size);
    job_options(k, b, "", f);
    fprintf(f, " --array=0-%d", tasks - 1);
    if (k->array_limit)
        fprintf(f, "%%%d", k->array_limit);
    print_wrapped((char *const[]){ "sweep", "task", (char *)plan, from, runs, NULL }, f);
    fclose(f);
    free(from);
    free(runs);
    return submit(b, command);
}

static bool submit_collection(const struct backend *k, const struct batch *b, const char *ids, char *const *collect)
{
    char *command;
    size_t size;
    FILE *f = mem_file(&command, &size);
    job_options(k, b, "-collect", f);
    fprintf(f, " --dependency=afterany%s", ids);
    print_wrapped(collect, f);
    fclose(f);
    char *id = submit(b, command);
    bool ok = id;
    free(id);
    return ok;
}

/* All arrays; their numbers, each after a colon. */
static char *submit_arrays(const struct backend *k, const struct batch *b, const char *plan, int tasks)
{
    int most = max_array_size();
    char *ids = mem_string("");
    for (int first = 0; first < tasks; first += most) {
        int n = tasks - first < most ? tasks - first : most;
        char *id = submit_array(k, b, plan, first, n);
        if (!id) {
            free(ids);
            return NULL;
        }
        mem_append(&ids, ":%s", id);
        free(id);
    }
    return ids;
}

bool slurm_submit(const struct backend *k, const struct batch *b, char *const *collect)
{
    if (!is_installed(b))
        return false;
    char *plan = plan_path(b);
    int runs = slurm_plan_write(b, plan), tasks = (runs + k->task_runs - 1) / k->task_runs;
    char *ids = runs > 0 ? submit_arrays(k, b, plan, tasks) : NULL;
    bool ok = ids && submit_collection(k, b, ids, collect);
    if (ok)
        printf("%d runs submitted to Slurm in %d tasks: jobs %s\n", runs, tasks, ids + 1);
    else if (runs > 0 && slurm_cancel(b))
        fprintf(stderr, "%s: the jobs submitted so far are cancelled\n", b->command);
    free(ids);
    free(plan);
    return ok;
}

/* ---- the queue ---- */

bool slurm_used(const struct batch *b)
{
    char *path = mem_format("%s/slurm", b->folder);
    bool used = access(path, F_OK) == 0;
    free(path);
    return used;
}

/* A line for each task: its state. */
static void count_states(const char *text, struct slurm_queue *q)
{
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (!strncmp(text, "PENDING", 7) || !strncmp(text, "REQUEUE", 7))
            q->pending++;
        else
            q->running++;
}

bool slurm_queue(const struct batch *b, struct slurm_queue *q)
{
    char *name = job_name(b, ""), *command = mem_format("squeue --noheader --array --format=%%T --name=%s", name);
    char *text = output_of(command);
    *q = (struct slurm_queue){ 0, 0 };
    if (text)
        count_states(text, q);
    bool ok = text;
    free(text);
    free(command);
    free(name);
    return ok;
}

bool slurm_cancel(const struct batch *b)
{
    char *tasks = job_name(b, ""), *collect = job_name(b, "-collect");
    char *command = mem_format("scancel --name=%s && scancel --name=%s", collect, tasks), *text = output_of(command);
    bool ok = text;
    free(text);
    free(command);
    free(tasks);
    free(collect);
    return ok;
}
