// Rings of transactions, each of which depends on the next: transaction i reads word i, waits, and writes word i + 1,
// the last one word 0, one more than it has read. In every serial order a transaction reads what another has written,
// so a word is at least 2 at the end; if all of them read before one writes, and all commit, every word is 1. The
// reader of a word precedes its writer: this dependency is found at the write, since all have read before, and the
// waits set the order of the writes.
//   orders   rings of three transactions, in each of the 6 orders of their writes (Chen, Peng and Irving, ISCA 2017,
//            section 4.1: a loop is found in whichever order its edges are discovered)
//   lengths  rings of four to eight transactions (their Figure 9)
// The program prints how many rings were broken; `--expect broken` (the default) requires all.
// args: --input lengths
// also: --timing --config warptm
// also: --timing --config warptm -- --input lengths
// also: --timing --config localtm -- --expect whole
// also: --timing --config localtm -- --input lengths --expect whole
#define PROGRAM "rings"
#include "si_bench.h"

static const int LEAST_TURNS = 2000, TURNS_APART = 1000;

// A transaction: its words, and the turns that it waits.
struct Link {
    int read, write, turns;
};

struct Ring {
    int first, length;
};

struct Rings {
    std::vector<Link> links;
    std::vector<Ring> rings;
};

extern "C" __global__ void rings_tm(volatile int *words, const Link *links, int count) {
    int thread = thread_number();
    if (thread < count) {
        Link link = links[thread];
        as_transaction([&] {
            int value = words[link.read];
            wait_for(link.turns);
            words[link.write] = value + 1;
        });
    }
}

// A ring whose transaction i writes as number order[i].
static void add_ring(Rings &all, const std::vector<int> &order) {
    int first = (int)all.links.size(), length = (int)order.size();
    for (int i = 0; i < length; i++) {
        all.links.push_back({first + i, first + (i + 1) % length, LEAST_TURNS + TURNS_APART * order[i]});
    }
    all.rings.push_back({first, length});
}

static Rings rings_in_all_orders() {
    Rings all;
    std::vector<int> order = {0, 1, 2};
    do {
        add_ring(all, order);
    } while (std::next_permutation(order.begin(), order.end()));
    return all;
}

static Rings rings_of_all_lengths(int seed) {
    Rings all;
    Lcg random(seed);
    for (int length = 4; length <= 8; length++) {
        add_ring(all, shuffled(random, length));
    }
    return all;
}

static bool is_broken(const Ring &ring, const std::vector<int> &words) {
    int most = 0;
    for (int i = ring.first; i < ring.first + ring.length; i++) {
        expect_true("a transaction has written the word", i, words[i] >= 1 && words[i] <= ring.length);
        most = std::max(most, words[i]);
    }
    return most > 1;
}

int main(int argc, char **argv) {
    static const char *const INPUTS[] = {"orders", "lengths", nullptr};
    static const char *const EXPECTED[] = {"broken", "whole", "any", nullptr};
    int input = 0, expected = 0, seed = 2017, placement = PLACEMENT_THREADS;
    read_options(argc, argv, {},
                 {{"input", "rings of three in all orders, or of four to eight (orders)", &input, INPUTS, 0, 0},
                  {"expect", "what is to become of the rings (broken)", &expected, EXPECTED, 0, 0},
                  {"seed", "of the orders", &seed, nullptr, 0, INT32_MAX},
                  placement_option(&placement)});
    Rings all = input ? rings_of_all_lengths(seed) : rings_in_all_orders();
    int count = (int)all.links.size(), broken = 0;
    volatile int *words = region_of(std::vector<int>(count));

    Geometry launch = geometry(count, placement);
    rings_tm<<<launch.blocks, launch.block>>>(words, to_device(all.links), count);
    CHECK_KERNEL();

    std::vector<int> at_end = region_to_host(words, count);
    for (const Ring &ring : all.rings) {
        broken += is_broken(ring, at_end);
    }
    printf("Rings: %d transactions in %d loops, %d broken\n", count, (int)all.rings.size(), broken);
    expect_true("every ring is broken", broken, expected != 0 || broken == (int)all.rings.size());
    expect_true("no ring is broken", broken, expected != 1 || broken == 0);
    return pass();
}
