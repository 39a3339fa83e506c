/* What `simtx litmus` prints of a test: herd's form, one line, or JSON. */
#ifndef FRONTEND_LITMUS_REPORT_H
#define FRONTEND_LITMUS_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "frontend/litmus/litmus.h"

/* A test with its models and its run. */
struct litmus_result {
    const struct litmus_test *t;
    const char *file, *policy;
    enum litmus_model model;
    bool judged;                     /* outcomes that the model forbids are errors */
    struct litmus_outcomes sc, allowed;
    struct litmus_run run;
};

struct litmus_figures {
    uint32_t weak, weak_seen;        /* outcomes that the model allows and SC does not, and those of them seen */
    uint32_t allowed_seen, forbidden;
    uint64_t forbidden_count;
    const char *expected, *seen;     /* Never, Sometimes, Always: by the model, in the run */
    uint64_t positive, negative;     /* of the run */
    bool ok;                         /* the run satisfies the test's quantifier */
    double speed;                    /* outcomes a second */
};

struct litmus_figures litmus_figures(const struct litmus_result *r);
bool litmus_forbidden(const struct litmus_result *r, uint32_t i);       /* the i-th outcome seen */
void litmus_print(const struct litmus_result *r);
void litmus_print_line(const struct litmus_result *r);
json_t *litmus_json(const struct litmus_result *r);

#endif
