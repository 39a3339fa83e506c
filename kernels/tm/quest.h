// The records of AP: those that IBM's Quest generator writes for the paper's parameters (Agrawal and Srikant, Fast
// Algorithms for Mining Association Rules, VLDB 1994, section 4.1). Records are filled from potentially large itemsets,
// "patterns", of which some are much more likely than others; each pattern shares items with the one before, and a
// pattern often comes without some of its items.
// What the article leaves open follows the program, public as github.com/zakimjz/IBMGenerator: defaults, distributions
// and order of draws. Each quantity has its own stream of random numbers. The seeds of these streams come from one more
// stream, which starts with a fixed seed, so the records are a function of the parameters alone.
// Empty records are not written, which is the first of the program's two options;
// github.com/acdmammoths/datasetgenerator does the same.
// The program takes its seeds from the range of `long`; here it has 64 bits. With the paper's parameters the records
// lead to 4550 critical sections, the paper's own count of transactions. With 32 bits they lead to 811.
#ifndef KERNELS_TM_QUEST_H
#define KERNELS_TM_QUEST_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

typedef std::vector<int> Itemset;

// Park and Miller's generator with the shuffle of Bays and Durham (ran1 of Numerical Recipes, second edition). A seed
// may be larger than the modulus; the steps before the table is filled reduce it.
class Stream {
    static const int TABLE = 32, WARM_UP = 8;
    static const int64_t MODULUS = 2147483647, QUOTIENT = 127773, FACTOR = 16807, REST = 2836;
    int64_t state, out, table[TABLE];

    // Schrage's form of a multiplication modulo MODULUS.
    int64_t step() {
        state = FACTOR * (state % QUOTIENT) - REST * (state / QUOTIENT);
        state += state < 0 ? MODULUS : 0;
        return state;
    }

public:
    explicit Stream(int64_t seed) : state(std::max<int64_t>(seed, 1)) {
        for (int i = 0; i < WARM_UP; i++) {
            step();
        }
        for (int i = TABLE; i-- > 0;) {
            table[i] = step();
        }
        out = table[0];
    }

    // Between 0 and 1, both excluded.
    float unit() {
        int64_t next = step(), slot = out / (1 + (MODULUS - 1) / TABLE);
        out = table[slot];
        table[slot] = next;
        return std::min((float)(1.0 / MODULUS * out), (float)(1.0 - 1.2e-7));
    }

    // A seed for another stream.
    int64_t seed() {
        float product = unit();
        product *= unit();
        return (int64_t)(9223372036854775808.0F * product);
    }

    float exponential() { return -std::log(unit()); }

    int poisson(float mean) {
        float least = std::exp(-mean), product = unit();
        int events = 0;
        for (; product > least; events++) {
            product *= unit();
        }
        return events;
    }
};

// Normal deviates come in pairs, by Box and Muller's polar method.
class NormalStream {
    Stream units;
    float kept = 0;
    bool has_kept = false;

public:
    explicit NormalStream(int64_t seed) : units(seed) {}

    float unit_normal() {
        if (has_kept) {
            has_kept = false;
            return kept;
        }
        float x, y, square;
        do {
            x = (float)(2.0 * units.unit() - 1.0);
            y = (float)(2.0 * units.unit() - 1.0);
            square = x * x + y * y;
        } while (square >= 1 || square == 0);
        float factor = (float)std::sqrt(-2.0 * std::log(square) / square);
        kept = x * factor;
        has_kept = true;
        return y * factor;
    }
};

// `count` of the items, chosen at random, in their order.
static inline Itemset some_of(const Itemset &items, size_t count, int64_t seed) {
    Stream units(seed);
    std::vector<float> rank(items.size());
    std::generate(rank.begin(), rank.end(), [&] { return units.unit(); });
    std::vector<int> position(items.size());
    std::iota(position.begin(), position.end(), 0);
    std::sort(position.begin(), position.end(),
              [&](int a, int b) { return rank[a] < rank[b] || (rank[a] == rank[b] && a < b); });
    position.resize(count);
    std::sort(position.begin(), position.end());
    Itemset chosen;
    for (int p : position) {
        chosen.push_back(items[p]);
    }
    return chosen;
}

// Draws an index with exponentially distributed weights.
class Weighted {
    std::vector<float> up_to;

public:
    explicit Weighted(std::vector<float> weights) : up_to(std::move(weights)) {
        float sum = 0, before = 0;
        for (float weight : up_to) {
            sum += weight;
        }
        for (float &weight : up_to) {
            weight = before + weight / sum;
            before = weight;
        }
    }

    int draw(float unit) const {
        return (int)(std::lower_bound(up_to.begin(), up_to.end() - 1, unit) - up_to.begin());
    }
};

struct QuestParameters {
    int items, patterns;
    float record_length, pattern_length; // means
};

class Quest {
    // The program's defaults: the mean share of items that a pattern has in common with the one before, and of those
    // that it keeps in a record.
    static constexpr float CORRELATION = 0.25F, CONFIDENCE = 0.75F, CONFIDENCE_DEVIATION = 0.1F;

    struct Pattern {
        Itemset items;
        float confidence;
    };

    std::vector<Pattern> patterns;
    std::vector<Weighted> pattern_weights; // one, made after the patterns

    static Weighted item_weights(int items, Stream *seeds) {
        Stream weight(seeds->seed());
        std::vector<float> weights(items);
        std::generate(weights.begin(), weights.end(), [&] { return weight.exponential(); });
        return Weighted(weights);
    }

    static size_t common_items(size_t size, size_t before, float draw) {
        return std::min({(size_t)(size * CORRELATION * draw + 0.5), size, before});
    }

    void make_patterns(const QuestParameters &parameters, Stream *seeds) {
        NormalStream confidence(seeds->seed());
        Stream weight(seeds->seed()), common(seeds->seed()), length(seeds->seed());
        // Two streams of the program that only records with sequences use.
        seeds->seed();
        seeds->seed();
        Stream item(seeds->seed());
        Weighted items = item_weights(parameters.items, seeds);
        std::vector<float> weights;
        for (int i = 0; i < parameters.patterns; i++) {
            size_t size = 1 + length.poisson(parameters.pattern_length - 1);
            Pattern pattern = {{}, 0};
            if (i > 0) {
                const Itemset &before = patterns.back().items;
                size_t count = common_items(size, before.size(), common.exponential());
                pattern.items = some_of(before, count, seeds->seed());
            }
            while (pattern.items.size() < size) {
                pattern.items.push_back(items.draw(item.unit()));
            }
            weights.push_back(weight.exponential());
            pattern.confidence = confidence.unit_normal() * CONFIDENCE_DEVIATION + CONFIDENCE;
            patterns.push_back(pattern);
        }
        pattern_weights.push_back(Weighted(weights));
    }

    static void include(Itemset *items, int item) {
        if (std::find(items->begin(), items->end(), item) == items->end()) {
            items->push_back(item);
        }
    }

    // Adds a pattern without some of its items; one that does not fit is added in half of the cases.
    static bool add(Itemset *record, size_t length, const Pattern &pattern, Stream *units, Stream *seeds) {
        size_t size = pattern.items.size();
        while (size > 0 && units->unit() > pattern.confidence) {
            size--;
        }
        if (record->size() + size > length && units->unit() > 0.5F) {
            return false;
        }
        for (int item : some_of(pattern.items, size, seeds->seed())) {
            include(record, item);
        }
        return true;
    }

    // What making records needs from one record to the next.
    struct Filling {
        Stream seeds, length, pattern, units;
        int left_over; // the pattern that did not fit into the record before, or 0

        explicit Filling(int64_t seed) : seeds(seed), length(seeds.seed()), pattern(seeds.seed()), units(seeds.seed()),
                                     left_over(0) {}
    };

    Itemset record(const QuestParameters &parameters, Filling *filling) const {
        Itemset items;
        size_t length = 1 + filling->length.poisson(parameters.record_length - 1);
        for (size_t tries = 0; items.size() < length && tries < patterns.size(); tries++) {
            int number = filling->left_over ? filling->left_over : pattern_weights[0].draw(filling->pattern.unit());
            filling->left_over = 0;
            if (!add(&items, length, patterns[number], &filling->units, &filling->seeds)) {
                filling->left_over = number;
                break;
            }
        }
        std::sort(items.begin(), items.end());
        return items;
    }

public:
    // Of `count` records, those with items. The patterns do not depend on `seed`, as with the program's option for it.
    std::vector<Itemset> records(const QuestParameters &parameters, int count, int seed) {
        Stream seeds(1);
        make_patterns(parameters, &seeds);
        Filling filling(seed);
        std::vector<Itemset> records;
        for (int i = 0; i < count; i++) {
            Itemset items = record(parameters, &filling);
            if (!items.empty()) {
                records.push_back(items);
            }
        }
        return records;
    }
};

#endif
