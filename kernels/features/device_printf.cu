// printf in device code: conversions of every kind, widths and flags, long integers, strings, a percent sign,
// many arguments, and output of several warps. Standard output is redirected to a file and compared with
// what the host's printf makes of the same values; lines of different threads may come in any order.
#define PROGRAM "device_printf"
#include "../check.h"

#include <algorithm>
#include <unistd.h>

__device__ const char device_text[] = "in device memory";

__global__ void one_thread(int *arguments) {
    printf("plain\n");
    printf("%d %i %u %x %X %o|%5d|%-5d|%05d|%+d\n", -7, 42, 3000000000u, 0xbeefu, 0xBEEFu, 8u, 12, 12, 12,
           12);
    printf("%ld %lld %llu %llx %hd %hhu\n", -5000000000l, -6000000000ll, 18446744073709551615ull, 1ull << 40,
           (short)-3, (unsigned char)200);
    printf("%f %.3f %10.2f %e %g %G %a\n", 1.5, 2.0 / 3.0, 1234.567, 0.000123, 1e10, 1e-10, 0.75);
    float narrow = 0.1f;
    printf("%.9g %c%c%c 100%% [%s] [%10s] [%-4s]\n", narrow, 'a', 'b', 'c', "literal", "right", "l");
    printf("%s %*d %.*f\n", device_text, 6, 99, 2, 3.14159);
    arguments[0] = printf("%d %f %s\n", 1, 2.0, "three");
    arguments[1] = printf("no arguments\n");
    arguments[2] = printf("%d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
}

__global__ void many_threads() {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread % 3 == 0) {
        printf("thread %d of block %d says %.2f\n", thread, (int)blockIdx.x, thread * 0.25);
    }
}

// Standard output of one launch, split into lines.
template <typename Launch>
static std::vector<std::string> captured(Launch launch) {
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    FILE *file = tmpfile();
    if (kept < 0 || !file) {
        fail("temporary file", 0, 1, 0);
    }
    dup2(fileno(file), STDOUT_FILENO);
    launch();
    cudaError_t error = cudaDeviceSynchronize();
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    CHECK(error);
    std::vector<std::string> lines;
    char line[512];
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        lines.push_back(line);
    }
    fclose(file);
    return lines;
}

template <typename... Arguments>
static std::string printed(const char *format, Arguments... arguments) {
    char text[512];
    snprintf(text, sizeof text, format, arguments...);
    return text;
}

int main(int argc, char **argv) {
    int blocks = size_argument(argc, argv, 5, 1, 1000), threads = 70;
    int *arguments = device_zeros<int>(3);
    std::vector<std::string> expected;
    expected.push_back("plain\n");
    expected.push_back(printed("%d %i %u %x %X %o|%5d|%-5d|%05d|%+d\n", -7, 42, 3000000000u, 0xbeefu, 0xBEEFu,
                               8u, 12, 12, 12, 12));
    expected.push_back(printed("%ld %lld %llu %llx %hd %hhu\n", -5000000000l, -6000000000ll,
                               18446744073709551615ull, 1ull << 40, (short)-3, (unsigned char)200));
    expected.push_back(
        printed("%f %.3f %10.2f %e %g %G %a\n", 1.5, 2.0 / 3.0, 1234.567, 0.000123, 1e10, 1e-10, 0.75));
    expected.push_back(
        printed("%.9g %c%c%c 100%% [%s] [%10s] [%-4s]\n", 0.1f, 'a', 'b', 'c', "literal", "right", "l"));
    expected.push_back("in device memory     99 3.14\n");
    expected.push_back("1 2.000000 three\n");
    expected.push_back("no arguments\n");
    expected.push_back("1 2 3 4 5 6 7 8 9 10\n");
    std::vector<std::string> got = captured([&] { one_thread<<<1, 1>>>(arguments); });
    expect_same("lines of one thread", expected, got);
    std::vector<int> counts = to_host(arguments, 3);
    expect_equal("printf returns its number of arguments", 0, 3, counts[0]);
    expect_equal("printf returns its number of arguments", 1, 0, counts[1]);
    expect_equal("printf returns its number of arguments", 2, 10, counts[2]);

    expected.clear();
    for (int thread = 0; thread < blocks * threads; thread += 3) {
        expected.push_back(
            printed("thread %d of block %d says %.2f\n", thread, thread / threads, thread * 0.25));
    }
    got = captured([&] { many_threads<<<blocks, threads>>>(); });
    std::sort(expected.begin(), expected.end());
    std::sort(got.begin(), got.end());
    expect_same("lines of many threads", expected, got);
    return pass();
}
