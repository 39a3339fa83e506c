/*
 * Cycle counts of the reference workloads against the incumbent's: each within 15 %, their geometric mean within 10 %.
 *
 *     reference DIR_OF_PTX [PRESET_OR_KEY=VALUE ...]     more arguments only for looking: the bounds are not checked
 *                                                        then
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "regress/reference/workloads.h"

enum { EXTRA_MAX = 64 };

static const double each_within = 1.15, mean_within = 1.1;

int main(int argc, char **argv)
{
    /* as the incumbent ran: it keeps L2 between launches; registers and blocks of gemm */
    const char *config[EXTRA_MAX + 8] = { "+gtx480-reference", "sim.mode=timing", "sim.flush=false",
                                          "kernel.gemm.registers=24", "kernel.gemm.ctas_per_sm=5" };
    int n = 5, passed = 0, failed = 0;
    if (argc < 2 || argc > EXTRA_MAX) {
        fprintf(stderr, "usage: reference DIR [+PRESET | KEY=VALUE ...]\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        config[n++] = argv[i];
    double log_sum = 0;
    printf("%-8s %12s %12s %7s %12s %9s  %s\n", "kernel", "cycles", "incumbent", "ratio", "M inst/s", "x speed",
           "result");
    for (int i = 0; i < WORKLOADS; i++) {
        const struct workload *w = &workloads[i];
        struct workload_result r = workload_run(w->name, argv[1], config, NULL);
        double ratio = (double)r.cycles / (double)w->gtx480_cycles, speed = (double)r.thread_instructions / r.seconds;
        bool counted = r.thread_instructions == w->thread_instructions;
        bool ok = r.correct && counted && ratio < each_within && ratio > 1 / each_within;
        printf("%-8s %12llu %12llu %7.3f %12.2f %9.0f  %s%s\n", w->name, (unsigned long long)r.cycles,
               (unsigned long long)w->gtx480_cycles, ratio, speed * 1e-6, speed / w->gtx480_inst_per_s,
               r.correct ? "correct" : "WRONG", counted ? "" : ", INSTRUCTION COUNT DIFFERS");
        log_sum += log(ratio);
        passed += ok;
        failed += !ok;
    }
    double mean = exp(log_sum / WORKLOADS);
    printf("geometric mean of the ratios %.3f\n", mean);
    bool ok = mean < mean_within && mean > 1 / mean_within;
    passed += ok;
    failed += !ok;
    printf("reference: %d passed, %d failed\n", passed, failed);
    return argc == 2 && failed ? 1 : 0;
}
