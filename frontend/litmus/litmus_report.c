#include "frontend/litmus/litmus_report.h"

enum { TEXT = 1000 };

static const int64_t *row(const struct litmus_outcomes *s, uint32_t i)
{
    return s->value + (size_t)i * (size_t)s->width;
}

bool litmus_forbidden(const struct litmus_result *r, uint32_t i)
{
    return litmus_outcomes_find(&r->allowed, row(&r->run.seen, i)) < 0;
}

static void count_weak(const struct litmus_result *r, struct litmus_figures *f)
{
    for (uint32_t i = 0; i < r->allowed.n; i++) {
        bool weak = litmus_outcomes_find(&r->sc, row(&r->allowed, i)) < 0;
        bool seen = r->run.seen.n && litmus_outcomes_find(&r->run.seen, row(&r->allowed, i)) >= 0;
        f->weak += weak;
        f->weak_seen += weak && seen;
        f->allowed_seen += seen;
    }
}

struct litmus_figures litmus_figures(const struct litmus_result *r)
{
    struct litmus_figures f = { 0 };
    f.expected = litmus_observation(r->t, &r->allowed, &f.positive, &f.negative);
    f.seen = litmus_observation(r->t, &r->run.seen, &f.positive, &f.negative);
    f.ok = r->t->quantifier == LITMUS_EXISTS       ? f.positive > 0
           : r->t->quantifier == LITMUS_NOT_EXISTS ? !f.positive
                                                   : !f.negative;
    count_weak(r, &f);
    for (uint32_t i = 0; i < r->run.seen.n; i++)
        if (litmus_forbidden(r, i)) {
            f.forbidden++;
            f.forbidden_count += r->run.seen.count[i];
        }
    f.speed = r->run.seconds > 0 ? (double)r->run.outcomes / r->run.seconds : 0;
    return f;
}

static const char *kind(const struct litmus_test *t)
{
    static const char *const names[] = { "Allowed", "Forbidden", "Required" };
    return names[t->quantifier];
}

static void print_histogram(const struct litmus_result *r)
{
    char text[TEXT];
    const struct litmus_outcomes *s = r->run.outcomes ? &r->run.seen : &r->allowed;
    printf("%s (%u states)\n", r->run.outcomes ? "Histogram" : "States", s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        litmus_describe(r->t, row(s, i), text, sizeof text);
        bool bad = r->run.outcomes && litmus_forbidden(r, i);
        if (r->run.outcomes)
            printf("%-8llu", (unsigned long long)s->count[i]);
        printf("%c>%s%s\n", litmus_holds(r->t, row(s, i)) ? '*' : ':', text, bad ? "   forbidden" : "");
    }
}

/* Herd's form of what is known only without a run: the verdict is the model's. */
static void print_model_verdict(const struct litmus_result *r, const struct litmus_figures *f)
{
    uint64_t positive, negative;
    litmus_observation(r->t, &r->allowed, &positive, &negative);
    bool ok = r->t->quantifier == LITMUS_EXISTS       ? positive > 0
              : r->t->quantifier == LITMUS_NOT_EXISTS ? !positive
                                                      : !negative;
    printf("%s\nCondition %s\nModel %s: %s, %u states, %u weak\n\n", ok ? "Ok" : "No", r->t->condition_text,
           litmus_model_name(r->model), f->expected, r->allowed.n, f->weak);
}

void litmus_print(const struct litmus_result *r)
{
    struct litmus_figures f = litmus_figures(r);
    printf("Test %s %s\n", r->t->name, kind(r->t));
    print_histogram(r);
    if (!r->run.outcomes) {
        print_model_verdict(r, &f);
        return;
    }
    printf("%s\n\nWitnesses\nPositive: %llu, Negative: %llu\n", f.ok ? "Ok" : "No", (unsigned long long)f.positive,
           (unsigned long long)f.negative);
    printf("Condition %s is %svalidated\n", r->t->condition_text, f.ok ? "" : "NOT ");
    printf("Observation %s %s %llu %llu\n", r->t->name, f.seen, (unsigned long long)f.positive,
           (unsigned long long)f.negative);
    printf("Model %s: %s; seen %u of %u allowed states, %u of %u weak; %u forbidden\n", litmus_model_name(r->model),
           f.expected, f.allowed_seen, r->allowed.n, f.weak_seen, f.weak, f.forbidden);
    printf("Speed %s: %llu outcomes in %llu launches, %llu cycles; %.2f CPU s, %.0f outcomes/s\n\n", r->policy,
           (unsigned long long)r->run.outcomes, (unsigned long long)r->run.launches,
           (unsigned long long)r->run.cycles, r->run.seconds, f.speed);
}

void litmus_print_line(const struct litmus_result *r)
{
    struct litmus_figures f = litmus_figures(r);
    if (!r->run.outcomes)
        printf("%-40s %s %-9s states %u weak %u\n", r->t->name, litmus_model_name(r->model), f.expected, r->allowed.n,
               f.weak);
    else
        printf("%-40s %s %-9s seen %-9s states %u/%u weak %u/%u forbidden %u outcomes %llu\n", r->t->name,
               litmus_model_name(r->model), f.expected, f.seen, f.allowed_seen, r->allowed.n, f.weak_seen, f.weak,
               f.forbidden, (unsigned long long)r->run.outcomes);
}

static json_t *states_json(const struct litmus_result *r)
{
    char text[TEXT];
    const struct litmus_outcomes *s = &r->run.seen;
    json_t *list = json_array();
    for (uint32_t i = 0; i < s->n; i++) {
        litmus_describe(r->t, row(s, i), text, sizeof text);
        json_array_append_new(list, json_pack("{s:s, s:I, s:b, s:b}", "state", text, "count",
                                              (json_int_t)s->count[i], "condition",
                                              (int)litmus_holds(r->t, row(s, i)), "forbidden",
                                              (int)litmus_forbidden(r, i)));
    }
    return list;
}

json_t *litmus_json(const struct litmus_result *r)
{
    struct litmus_figures f = litmus_figures(r);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:I, s:f, s:f, s:o}",
                     "test", r->t->name, "file", r->file, "policy", r->policy, "model", litmus_model_name(r->model),
                     "expected", f.expected, "observation", f.seen, "ok", (int)f.ok, "states_allowed",
                     (int)r->allowed.n, "states_seen", (int)f.allowed_seen, "weak_allowed", (int)f.weak, "weak_seen",
                     (int)f.weak_seen, "forbidden", (int)f.forbidden, "outcomes", (json_int_t)r->run.outcomes,
                     "launches", (json_int_t)r->run.launches, "cycles", (json_int_t)r->run.cycles, "seconds",
                     r->run.seconds, "outcomes_per_second", f.speed, "histogram", states_json(r));
}
