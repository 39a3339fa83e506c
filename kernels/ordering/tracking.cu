// Tracking points through frames (after heartwall of Rodinia; Szafaryn, Skadron and Saucerman, Experiences Accelerating
// MATLAB Systems Biology Applications, 2009): a block follows one point. It copies the window around the point to a
// buffer in global memory, sums the window up along columns and rows, correlates the point's template with every place
// in the window, finds the best place, and moves the template towards what is there. Windows, sums, scores, templates
// are private to a block but read and written by all its threads, between barriers; those of the blocks of an SM do not
// fit into its L1. The frame is shared and only read.
// Checked: places and templates after all frames, in integers, against the same on the host.
// also: --timing --config gtx480-sc
#define PROGRAM "tracking"
#include "../bench/options.h"

#include <algorithm>

// Widths in pixels. A window has PLACES x PLACES places for a template.
static const int FRAME = 256, TEMPLATE = 24, REACH = 16, PLACES = 2 * REACH, WINDOW = TEMPLATE + PLACES;
static const int FRAMES = 2, BLOCK = 256, SAMPLE = 4; // every fourth pixel of a template is compared

// What one block works on. `sums` is the sum of the window's pixels above and on the left of a pixel.
struct Point {
    int x, y; // of the template's first pixel in the last frame
    int pattern[TEMPLATE * TEMPLATE];
    int window[WINDOW * WINDOW];
    int sums[WINDOW * WINDOW];
    int scores[PLACES * PLACES];
};

static __host__ __device__ int window_edge(int position) {
    int edge = position - REACH, most = FRAME - WINDOW;
    return edge < 0 ? 0 : edge > most ? most : edge;
}

static __host__ __device__ void copy_pixel(Point *point, const unsigned char *frame, int i) {
    int x = window_edge(point->x) + i % WINDOW, y = window_edge(point->y) + i / WINDOW;
    point->window[i] = frame[y * FRAME + x];
}

static __host__ __device__ void sum_column(Point *point, int column) {
    point->sums[column] = 0;
    for (int i = WINDOW + column; i < WINDOW * WINDOW; i += WINDOW) {
        point->sums[i] = point->sums[i - WINDOW] + point->window[i - WINDOW];
    }
}

static __host__ __device__ void sum_row(Point *point, int row) {
    int sum = 0;
    for (int i = row * WINDOW; i < (row + 1) * WINDOW; i++) {
        int column = point->sums[i];
        point->sums[i] = sum;
        sum += column;
    }
}

// The sum of absolute differences and the difference from mid-grey, and the place in the low bits: the lowest one wins.
static __host__ __device__ void score(Point *point, int place) {
    int first = place / PLACES * WINDOW + place % PLACES, last = first + TEMPLATE * WINDOW, difference = 0;
    const int *sums = point->sums;
    int grey = sums[last + TEMPLATE] - sums[last] - sums[first + TEMPLATE] + sums[first];
    for (int i = 0; i < TEMPLATE * TEMPLATE; i += SAMPLE) {
        int by = point->pattern[i] - point->window[first + i / TEMPLATE * WINDOW + i % TEMPLATE];
        difference += by < 0 ? -by : by;
    }
    grey = grey / (TEMPLATE * TEMPLATE) - 128;
    point->scores[place] = (difference + (grey < 0 ? -grey : grey)) * PLACES * PLACES + place;
}

static __host__ __device__ void adapt_pixel(Point *point, int place, int i) {
    int first = place / PLACES * WINDOW + place % PLACES;
    int seen = point->window[first + i / TEMPLATE * WINDOW + i % TEMPLATE];
    point->pattern[i] = (7 * point->pattern[i] + seen) / 8;
}

static __host__ __device__ void move_point(Point *point, int place) {
    point->x = window_edge(point->x) + place % PLACES;
    point->y = window_edge(point->y) + place / PLACES;
}

// The steps for all items 0 to count - 1: on the device shared among the block's threads, with a barrier at the end.
template <typename Step> static __device__ __forceinline__ void for_all(int count, Step step) {
    for (int i = threadIdx.x; i < count; i += BLOCK) {
        step(i);
    }
    __syncthreads();
}

static __global__ void follow(Point *points, const unsigned char *frame) {
    Point *point = &points[blockIdx.x];
    for_all(WINDOW * WINDOW, [&](int i) { copy_pixel(point, frame, i); });
    for_all(WINDOW, [&](int i) { sum_column(point, i); });
    for_all(WINDOW, [&](int i) { sum_row(point, i); });
    for_all(PLACES * PLACES, [&](int i) { score(point, i); });
    for (int half = PLACES * PLACES / 2; half > 0; half /= 2) {
        for_all(half, [&](int i) { point->scores[i] = min(point->scores[i], point->scores[i + half]); });
    }
    int place = point->scores[0] % (PLACES * PLACES);
    for_all(TEMPLATE * TEMPLATE, [&](int i) { adapt_pixel(point, place, i); });
    for_all(1, [&](int) { move_point(point, place); });
}

template <typename Step> static void host_for_all(int count, Step step) {
    for (int i = 0; i < count; i++) {
        step(i);
    }
}

static void host_follow(Point *point, const unsigned char *frame) {
    host_for_all(WINDOW * WINDOW, [&](int i) { copy_pixel(point, frame, i); });
    host_for_all(WINDOW, [&](int i) { sum_column(point, i); });
    host_for_all(WINDOW, [&](int i) { sum_row(point, i); });
    host_for_all(PLACES * PLACES, [&](int i) { score(point, i); });
    int place = *std::min_element(point->scores, point->scores + PLACES * PLACES) % (PLACES * PLACES);
    host_for_all(TEMPLATE * TEMPLATE, [&](int i) { adapt_pixel(point, place, i); });
    move_point(point, place);
}

// Smooth texture that drifts by `frame` times (2, 1) pixels, with noise.
static std::vector<unsigned char> make_frame(Lcg &random, int frame) {
    std::vector<unsigned char> pixels(FRAME * FRAME);
    for (int i = 0; i < FRAME * FRAME; i++) {
        double x = i % FRAME - 2 * frame, y = i / FRAME - frame;
        pixels[i] = (unsigned char)(120 + 50 * std::sin(x * 0.31 + y * 0.05) + 50 * std::cos(y * 0.23 - x * 0.11) +
                                    random.below(20));
    }
    return pixels;
}

static Point make_point(Lcg &random, const std::vector<unsigned char> &frame) {
    Point point = {};
    point.x = (int)random.below(FRAME - TEMPLATE);
    point.y = (int)random.below(FRAME - TEMPLATE);
    for (int i = 0; i < TEMPLATE * TEMPLATE; i++) {
        point.pattern[i] = frame[(point.y + i / TEMPLATE) * FRAME + point.x + i % TEMPLATE];
    }
    return point;
}

static void check_point(int number, const Point &expected, const Point &got) {
    expect_equal("x", number, expected.x, got.x);
    expect_equal("y", number, expected.y, got.y);
    for (int i = 0; i < TEMPLATE * TEMPLATE; i++) {
        expect_equal("template", number * TEMPLATE * TEMPLATE + i, expected.pattern[i], got.pattern[i]);
    }
}

int main(int argc, char **argv) {
    int count = read_options(argc, argv, {"points", 4, 51, 1, 4096});
    Lcg random(112);
    std::vector<unsigned char> frame = make_frame(random, 0);
    std::vector<Point> points;
    for (int i = 0; i < count; i++) {
        points.push_back(make_point(random, frame));
    }
    Point *device = to_device(points);
    for (int f = 1; f <= FRAMES; f++) {
        frame = make_frame(random, f);
        follow<<<count, BLOCK>>>(device, to_device(frame));
        CHECK_KERNEL();
        for (Point &point : points) {
            host_follow(&point, frame.data());
        }
    }
    std::vector<Point> got = to_host(device, count);
    for (int i = 0; i < count; i++) {
        check_point(i, points[i], got[i]);
    }
    return pass();
}
