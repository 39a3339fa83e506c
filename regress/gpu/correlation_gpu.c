/*
 * The kernels of the comparison with GPGPU-Sim on a real GPU: for each the time of the first launch and the least of
 * some. Usage: correlation_gpu DIR [LAUNCHES]; DIR: the folder regress/correlation.
 */
#include <stdio.h>
#include <stdlib.h>

#include "regress/correlation/cases.h"

int main(int argc, char **argv)
{
    static struct correlation_case cases[CASES_MAX];
    static const char *const none[] = {NULL};
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: correlation_gpu DIR [LAUNCHES]\n");
        return 2;
    }
    int launches = argc == 3 ? atoi(argv[2]) : 5;
    uint32_t n = cases_read(argv[1], cases);
    printf("%-10s %-32s %12s %12s %12s\n", "case", "", "first cycles", "least cycles", "GPGPU-Sim");
    for (uint32_t i = 0; i < n; i++) {
        uint64_t first = case_run(&cases[i], argv[1], none).cycles, least = first;
        for (int k = 1; k < launches; k++) {
            uint64_t cycles = case_run(&cases[i], argv[1], none).cycles;
            least = cycles < least ? cycles : least;
        }
        printf("%-10s %-32s %12llu %12llu %12llu\n", cases[i].name, cases[i].character, (unsigned long long)first,
               (unsigned long long)least, (unsigned long long)cases[i].cold_cycles);
    }
    printf("correlation-gpu: %u cases\n", n);
    return n ? 0 : 1;
}
