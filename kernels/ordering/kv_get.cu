// Look-ups of GET requests in a key-value store (after the memcached kernel of Hetherington, Rogers, Hsu, O'Connor and
// Aamodt, Characterizing and Evaluating a Key-Value Store Application on Heterogeneous CPU-GPU Systems, ISPASS 2012):
// one thread for each request hashes the key, walks the chain of its bucket, compares keys and stores the number of
// the item, whose value the host sends. Keys are our own, and their popularity follows Zipf's law with exponent 0.99: a
// few items are read by all SMs, most by one. The store is only read.
// Checked: the item of every request, misses among them, and that the store is as before.
// also: --timing --config gtx480-sc
#define PROGRAM "kv_get"
#include "../bench/options.h"

#include <algorithm>

static const int BLOCK = 256, KEY_WORDS = 6, VALUE_WORDS = 8, NONE = -1;

struct Key {
    unsigned words[KEY_WORDS];
};

struct Item {
    Key key;
    int next;
    unsigned value[VALUE_WORDS];
};

// FNV-1a, a word at a time.
static __host__ __device__ unsigned hash_of(const Key &key) {
    unsigned hash = 2166136261u;
    for (int i = 0; i < KEY_WORDS; i++) {
        hash = (hash ^ key.words[i]) * 16777619u;
    }
    return hash ^ hash >> 15;
}

static __device__ __forceinline__ bool same_key(const Key &a, const Key &b) {
    for (int i = 0; i < KEY_WORDS; i++) {
        if (a.words[i] != b.words[i]) {
            return false;
        }
    }
    return true;
}

static __global__ void get(const Item *items, const int *buckets, unsigned mask, const Key *requests, int *found,
                           int count) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count) {
        return;
    }
    Key key = requests[i];
    int at = buckets[hash_of(key) & mask];
    while (at != NONE && !same_key(items[at].key, key)) {
        at = items[at].next;
    }
    found[i] = at;
}

// The words of a key begin alike, as keys with a common prefix do.
static Key key_of(int number) {
    Key key;
    for (int i = 0; i < KEY_WORDS; i++) {
        key.words[i] = i < KEY_WORDS - 2 ? 0x75736572u + i : (unsigned)number * 2654435761u + i;
    }
    return key;
}

struct Store {
    std::vector<Item> items;
    std::vector<int> buckets;
};

static Store make_store(Lcg &random, int count, int buckets) {
    Store store;
    store.buckets.assign(buckets, NONE);
    for (int number = 0; number < count; number++) {
        Item item = {key_of(number), NONE, {}};
        for (unsigned &word : item.value) {
            word = random.next();
        }
        int *head = &store.buckets[hash_of(item.key) & (unsigned)(buckets - 1)];
        item.next = *head;
        *head = number;
        store.items.push_back(item);
    }
    return store;
}

// Draws numbers by Zipf's law; popular numbers are spread over the store.
class Zipf {
    std::vector<double> sums;

public:
    explicit Zipf(int count) {
        double sum = 0;
        for (int rank = 1; rank <= count; rank++) {
            sums.push_back(sum += std::pow(rank, -0.99));
        }
    }

    int draw(Lcg &random) const {
        double at = random.unit() * sums.back();
        long rank = std::lower_bound(sums.begin(), sums.end(), at) - sums.begin();
        return (int)(rank * 7919 % (long)sums.size());
    }
};

int main(int argc, char **argv) {
    int count = read_options(argc, argv, {"requests, and half as many items", 1024, 49152, 32, 1 << 21});
    int stored = count / 2, buckets = 1;
    while (buckets * 2 <= stored) {
        buckets *= 2;
    }
    Lcg random(118);
    Store store = make_store(random, stored, buckets);
    Zipf zipf(stored);
    std::vector<int> asked(count);
    std::vector<Key> requests(count);
    for (int i = 0; i < count; i++) {
        bool stranger = random.below(20) == 0;
        asked[i] = stranger ? NONE : zipf.draw(random);
        requests[i] = key_of(stranger ? stored + i : asked[i]);
    }
    Item *items = to_device(store.items);
    int *found = device_buffer<int>(count);
    get<<<blocks_for(count, BLOCK), BLOCK>>>(items, to_device(store.buckets), (unsigned)(buckets - 1),
                                             to_device(requests), found, count);
    CHECK_KERNEL();
    std::vector<int> got = to_host(found, count);
    for (int i = 0; i < count; i++) {
        expect_equal("item", i, asked[i], got[i]);
    }
    std::vector<Item> after = to_host(items, stored);
    for (int i = 0; i < stored; i++) {
        expect_equal("next item", i, store.items[i].next, after[i].next);
        for (int k = 0; k < VALUE_WORDS; k++) {
            expect_equal("value", i * VALUE_WORDS + k, store.items[i].value[k], after[i].value[k]);
        }
    }
    return pass();
}
