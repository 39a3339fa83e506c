// The helper headers of sample programs: an image is written byte by byte by the host, loaded with helper_image.h,
// filtered by a kernel, saved and loaded again; flags, timers, files of numbers, comparisons and exceptions. Files are
// read back with plain C, so no helper is checked by itself alone.
#define PROGRAM "sample_helpers"
#include "../check.h"

#include <helper_cuda.h>
#include <helper_functions.h>
#include <unistd.h>

enum { WIDTH = 37, HEIGHT = 23 };

static std::string folder;

static std::string in_folder(const char *name) {
    return folder + "/" + name;
}

static std::string contents(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

static void write_text(const std::string &path, const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
}

// Mean of 3 x 3 pixels, edges repeated.
__host__ __device__ unsigned char blurred(const unsigned char *image, int x, int y) {
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int column = x + dx < 0 ? 0 : x + dx >= WIDTH ? WIDTH - 1 : x + dx;
            int row = y + dy < 0 ? 0 : y + dy >= HEIGHT ? HEIGHT - 1 : y + dy;
            sum += image[row * WIDTH + column];
        }
    }
    return (unsigned char)(sum / 9);
}

__global__ void blur(const unsigned char *image, unsigned char *out) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y;
    if (x < WIDTH) {
        out[y * WIDTH + x] = blurred(image, x, y);
    }
}

static std::string pixels(int channels) {
    std::string bytes;
    for (int i = 0; i < WIDTH * HEIGHT * channels; i++) {
        bytes += (char)(i * i * 7 + i);
    }
    return bytes;
}

static void check_pgm() {
    std::string bytes = pixels(1);
    write_text(in_folder("in.pgm"), "P5\n# a comment\n37 23\n255\n" + bytes);
    unsigned char *image = NULL;
    unsigned width = 0, height = 0;
    expect_true("load", 0, sdkLoadPGM<unsigned char>(in_folder("in.pgm").c_str(), &image, &width, &height));
    expect_equal("width", 0, (unsigned)WIDTH, width);
    expect_equal("height", 0, (unsigned)HEIGHT, height);
    expect_true("pixels", 0, memcmp(image, bytes.data(), bytes.size()) == 0);

    unsigned char *out = device_zeros<unsigned char>(WIDTH * HEIGHT);
    blur<<<dim3(2, HEIGHT), 32>>>(to_device(std::vector<unsigned char>(bytes.begin(), bytes.end())), out);
    getLastCudaError("blur");
    checkCudaErrors(cudaDeviceSynchronize());
    std::vector<unsigned char> got = to_host(out, WIDTH * HEIGHT);
    expect_true("save", 0, sdkSavePGM(in_folder("out.pgm").c_str(), got.data(), width, height));
    std::string expected = "P5\n37\n23\n255\n";
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        expected += (char)blurred(image, i % WIDTH, i / WIDTH);
    }
    expect_true("bytes of the file", 0, contents(in_folder("out.pgm")) == expected);
    expect_true("equal images", 0,
                sdkComparePGM(in_folder("out.pgm").c_str(), in_folder("out.pgm").c_str(), 0, 0, true));
    expect_true("different images", 0,
                !sdkComparePGM(in_folder("out.pgm").c_str(), in_folder("in.pgm").c_str(), 0, 0, false));
    free(image);
}

static void check_ppm() {
    std::string bytes = pixels(3);
    write_text(in_folder("in.ppm"), "P6 37 23 255\n" + bytes);
    unsigned char *image = NULL, *raw = NULL;
    float *scaled = NULL;
    unsigned width, height, channels;
    expect_true("load", 0, sdkLoadPPM4(in_folder("in.ppm").c_str(), &image, &width, &height));
    expect_true("load as floats", 0, sdkLoadPPM4(in_folder("in.ppm").c_str(), &scaled, &width, &height));
    expect_true("load as it is", 0, __loadPPM(in_folder("in.ppm").c_str(), &raw, &width, &height, &channels));
    expect_equal("channels", 0, 3u, channels);
    expect_true("raw pixels", 0, memcmp(raw, bytes.data(), bytes.size()) == 0);
    for (int i = 0; i < WIDTH * HEIGHT * 4; i++) {
        unsigned char expected = i % 4 == 3 ? 0 : (unsigned char)bytes[i / 4 * 3 + i % 4];
        expect_equal("pixel", i, (int)expected, (int)image[i]);
        expect_near("scaled pixel", i, expected / 255.0, scaled[i], 1e-6);
    }
    expect_true("save", 0, sdkSavePPM4ub(in_folder("out.ppm").c_str(), image, width, height));
    expect_true("bytes of the file", 0, contents(in_folder("out.ppm")) == "P6\n37\n23\n255\n" + bytes);
    write_text(in_folder("short.ppm"), "P6 37 23 255\n" + bytes.substr(1));
    write_text(in_folder("wide.ppm"), "P6 37 23 65535\n" + bytes + bytes);
    unsigned char *none = NULL;
    expect_true("an image that ends early", 0, !sdkLoadPPM4(in_folder("short.ppm").c_str(), &none, &width, &height));
    expect_true("16 bits", 0, !sdkLoadPPM4(in_folder("wide.ppm").c_str(), &none, &width, &height));
    expect_true("no file", 0, !sdkLoadPGM(in_folder("missing").c_str(), &none, &width, &height));
    free(image);
    free(scaled);
    free(raw);
}

static void check_numbers() {
    float values[] = {1.5f, -2, 1024, 0.25f}, *read = NULL;
    unsigned n = 0;
    write_text(in_folder("numbers"), "1.5 -2\n1024 0.25\n");
    expect_true("read", 0, sdkReadFile(in_folder("numbers").c_str(), &read, &n, true));
    expect_equal("count", 0, 4u, n);
    expect_true("values", 0, memcmp(read, values, sizeof values) == 0);
    free(read);
    sdkDumpBin(values, sizeof values, in_folder("binary").c_str());
    expect_true("dump", 0, contents(in_folder("binary")) == std::string((char *)values, sizeof values));
    values[1] += 0.5f;
    sdkDumpBin(values, sizeof values, in_folder("other").c_str());
    std::string a = in_folder("binary"), b = in_folder("other");
    char program[] = "sample_helpers";
    expect_true("one in four differs, half may", 0,
                sdkCompareBin2BinFloat(a.c_str(), b.c_str(), 4, 0.1f, 0.5f, program));
    expect_true("none may", 0, !sdkCompareBin2BinFloat(a.c_str(), b.c_str(), 4, 0.1f, 0, program));
    expect_true("within epsilon", 0, sdkCompareBin2BinFloat(a.c_str(), b.c_str(), 4, 0.6f, 0, program));
}

static void check_comparisons() {
    float reference[] = {3, 4, 0, 0}, data[] = {3, 4, 0, 0.05f}, nan[] = {3, 4, 0, NAN};
    expect_true("error of one in a hundred", 0, sdkCompareL2fe(reference, data, 4, 0.0101f));
    expect_true("not less", 0, !sdkCompareL2fe(reference, data, 4, 0.0099f));
    expect_true("close", 0, compareData(reference, data, 4, 0.06f, 0.0f));
    expect_true("not close", 0, !compareData(reference, data, 4, 0.04f, 0.0f));
    expect_true("NaN is not close", 0, !compareData(reference, nan, 4, 1e9f, 0.0f));
}

static void check_flags() {
    const char *arguments[] = {"program", "--size=640", "-ratio=0.5", "-verbose", "--file=a/b.ppm"};
    char *file = NULL, *extension = NULL;
    double ratio = 0;
    expect_true("flag", 0, checkCmdLineFlag(5, arguments, "verbose"));
    expect_true("no flag", 0, !checkCmdLineFlag(5, arguments, "quiet"));
    expect_equal("number", 0, 640, getCmdLineArgumentInt(5, arguments, "size"));
    expect_true("value", 0, getCmdLineArgumentValue(5, arguments, "ratio", &ratio) && ratio == 0.5);
    expect_true("text", 0, getCmdLineArgumentString(5, arguments, "file", &file));
    expect_equal("place of the extension", 0, 4, getFileExtension(file, &extension));
    expect_equal("extension", 0, std::string("ppm"), std::string(extension));
    expect_equal("dashes", 0, 2, stringRemoveDelimiter('-', arguments[1]));
    char *found = sdkFindFilePath("in.pgm", in_folder("program").c_str());
    expect_true("a file beside the program", 0, found && found == in_folder("in.pgm"));
    free(found);
    expect_true("no such file", 0, sdkFindFilePath("no such file", "program") == NULL);
}

static void check_timer() {
    StopWatchInterface *timer = NULL;
    sdkCreateTimer(&timer);
    sdkStartTimer(&timer);
    usleep(2000);
    sdkStopTimer(&timer);
    expect_true("at least two milliseconds", 0, sdkGetTimerValue(&timer) >= 2.0f);
    sdkResetTimer(&timer);
    expect_true("reset", 0, sdkGetTimerValue(&timer) == 0.0f);
    sdkDeleteTimer(&timer);
}

static void check_exception() {
    std::string what;
    try {
        RANGE_EXCEPTION("too far");
    } catch (const std::range_error &e) {
        what = e.what();
    }
    expect_true("text of the exception", 0, what.find("too far") != std::string::npos);
}

int main(int argc, char **argv) {
    char name[] = "/tmp/sample_helpers.XXXXXX";
    folder = mkdtemp(name);
    findCudaDevice(argc, (const char **)argv);
    check_pgm();
    check_ppm();
    check_numbers();
    check_comparisons();
    check_flags();
    check_timer();
    check_exception();
    for (const char *file : {"in.pgm", "out.pgm", "in.ppm", "out.ppm", "short.ppm", "wide.ppm", "numbers", "binary",
                             "other"}) {
        unlink(in_folder(file).c_str());
    }
    rmdir(folder.c_str());
    return pass();
}
