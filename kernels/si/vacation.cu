// Vacation (Vacation 1 and 2), after STAMP's program of that name: a travel agency with tables of cars, rooms and
// flights and one of customers, each a red-black tree (rb.h). An item has seats, used and free, and a price; a customer
// has a list of reservations, sorted by item. Two kinds of transactions:
//   changes (input 1)       look up three items, and change a table: offer more seats of an item or fewer, at the
//                           dearest of the prices seen, or insert or remove an item or a customer;
//   reservations (input 2)  look up some items, and reserve the dearest of each kind that is free for a customer.
// Which nodes are inserted and removed does not depend on the order of transactions.
// Fine-grained locks (held_locks.h): changes of a tree as in the red-black tree; of the item for its seats and price;
// of the customer and the items for a reservation. Reservations do not change the trees, and look up without locks.
// Checked: the trees; used and free seats are all seats; an item has as many seats as were offered, and as many used as
// customers have reserved; lists are sorted, without duplicates, and each reservation has the price of its item.
// args: --version fgl
// args: --version lock
// args: --action reservations
// args: --action reservations --version fgl
// args: --action reservations --version lock
#define PROGRAM "vacation"
#include "rb.h"
#include "si_bench.h"

static const int KINDS = 3, CUSTOMERS = 3, TABLES = 4, MOST_QUERIES = 8, NONE = RB_NONE;
static const int FIRST_NODE = 1 + TABLES; // nodes 1 to 4 are the tops of the tables

// Of a node: an item's seats and price; a customer's first reservation.
struct Entry {
    int used, free, total, price, first;
};

struct Reservation {
    int item, price, next;
};

struct Query {
    int kind, key;
};

struct Change {
    int table, key;
    int node;  // to insert, if not 0
    int seats; // more, or fewer; 0: the node is to be removed
};

struct Request {
    Query queries[MOST_QUERIES];
    int count, customer;
    Change change;
};

struct Agency {
    volatile RbNode *nodes;
    volatile Entry *entries;            // of each node
    volatile Reservation *reservations; // KINDS for each thread, from 1 on
    const Request *requests;
    int count;
    int *locks; // one for each node
    int *lock;
};

static __host__ __device__ __forceinline__ int top_of(int table) {
    return 1 + table;
}

static __device__ __forceinline__ int node_of(const Agency &agency, int table, int key) {
    return rb_at(agency.nodes, rb_find(agency.nodes, top_of(table), key));
}

// ---- changes ----

static __device__ __forceinline__ int dearest_price(const Agency &agency, const Request &request) {
    int price = 0;
    for (int i = 0; i < request.count; i++) {
        int node = node_of(agency, request.queries[i].kind, request.queries[i].key);
        price = node == NONE ? price : max(price, agency.entries[node].price);
    }
    return price;
}

static __device__ __forceinline__ void offer_seats(volatile Entry *entry, int seats, int price) {
    entry->free = entry->free + seats;
    entry->total = entry->total + seats;
    entry->price = price;
}

static __device__ __forceinline__ void new_entry(volatile Entry *entry, int seats, int price) {
    entry->used = 0;
    entry->free = seats;
    entry->total = seats;
    entry->price = price;
    entry->first = NONE;
}

static __device__ __forceinline__ void change_at(const Agency &agency, RbPlace at, const Change &change, int price) {
    if (change.node != NONE) {
        new_entry(&agency.entries[change.node], change.seats, price);
        rb_insert(agency.nodes, top_of(change.table), at, change.node, change.key);
    } else if (change.seats == 0) {
        rb_remove(agency.nodes, top_of(change.table), at);
    } else {
        offer_seats(&agency.entries[rb_at(agency.nodes, at)], change.seats, price);
    }
}

static __device__ __forceinline__ void change(const Agency &agency, const Request &request) {
    int price = dearest_price(agency, request);
    RbPlace at = rb_find(agency.nodes, top_of(request.change.table), request.change.key);
    change_at(agency, at, request.change, price);
}

// Calls `step` with this thread's request, which it has read, and its number.
template <typename Step>
static __device__ __forceinline__ void with_request(const Agency &agency, Step step) {
    int thread = thread_number();
    if (thread < agency.count) {
        Request request = agency.requests[thread];
        step(request, thread);
    }
}

extern "C" __global__ void vacation_change_tm(Agency agency) {
    with_request(agency, [&](const Request &request, int) { as_transaction([&] { change(agency, request); }); });
}

static __device__ __forceinline__ int price_without_locks(const Agency &agency, const Query &query) {
    int price = 0;
    with_held_locks(agency.locks, [&](HeldLocks &held) {
        RbPlace at;
        if (!rb_visit(agency.nodes, held, RB_LOOK_UP, top_of(query.kind), query.key, &at)) {
            return false;
        }
        int node = rb_at(agency.nodes, at);
        price = node == NONE ? 0 : agency.entries[node].price;
        return held.unchanged();
    });
    return price;
}

static __device__ __forceinline__ bool try_change(const Agency &agency, HeldLocks &held, const Change &change,
                                                  int price) {
    RbPurpose purpose = change.node != NONE ? RB_INSERT : change.seats == 0 ? RB_REMOVE : RB_LOOK_UP;
    RbPlace at;
    if (!rb_lock(agency.nodes, held, purpose, top_of(change.table), change.key, &at)) {
        return false;
    }
    change_at(agency, at, change, price);
    return true;
}

extern "C" __global__ void vacation_change_fgl(Agency agency) {
    with_request(agency, [&](const Request &request, int) {
        int price = 0;
        for (int i = 0; i < request.count; i++) {
            price = max(price, price_without_locks(agency, request.queries[i]));
        }
        with_held_locks(agency.locks,
                        [&](HeldLocks &held) { return try_change(agency, held, request.change, price); });
    });
}

extern "C" __global__ void vacation_change_lock(Agency agency) {
    with_request(agency, [&](const Request &request, int) {
        under_lock(agency.lock, [&] { change(agency, request); });
    });
}

// ---- reservations ----

// The dearest item of a kind that the request asks for and that has a free seat.
static __device__ __forceinline__ int dearest_item(const Agency &agency, const Request &request, int kind) {
    int dearest = NONE, price = -1;
    for (int i = 0; i < request.count; i++) {
        if (request.queries[i].kind != kind) {
            continue;
        }
        int node = node_of(agency, kind, request.queries[i].key);
        if (node != NONE && agency.entries[node].free > 0 && agency.entries[node].price > price) {
            dearest = node;
            price = agency.entries[node].price;
        }
    }
    return dearest;
}

// Enters the item in the customer's list, unless it is there or has no free seat.
static __device__ __forceinline__ void reserve_item(const Agency &agency, int customer, int item, int reservation) {
    volatile Reservation *list = agency.reservations;
    volatile Entry *entry = &agency.entries[item];
    int prev = NONE, next = agency.entries[customer].first;
    for (; next != NONE && list[next].item < item; next = list[next].next) {
        prev = next;
    }
    if (entry->free == 0 || (next != NONE && list[next].item == item)) {
        return;
    }
    entry->used = entry->used + 1;
    entry->free = entry->free - 1;
    list[reservation].item = item;
    list[reservation].price = entry->price;
    list[reservation].next = next;
    if (prev == NONE) {
        agency.entries[customer].first = reservation;
    } else {
        list[prev].next = reservation;
    }
}

static __device__ __forceinline__ void reserve(const Agency &agency, const Request &request, int thread) {
    int customer = node_of(agency, CUSTOMERS, request.customer);
    for (int kind = 0; kind < KINDS; kind++) {
        int item = dearest_item(agency, request, kind);
        if (item != NONE) {
            reserve_item(agency, customer, item, 1 + thread * KINDS + kind);
        }
    }
}

extern "C" __global__ void vacation_reserve_tm(Agency agency) {
    with_request(agency, [&](const Request &request, int thread) {
        as_transaction([&] { reserve(agency, request, thread); });
    });
}

// The items are locked in the order of their kinds, after the customer. One that has no free seat any more is passed
// over.
extern "C" __global__ void vacation_reserve_fgl(Agency agency) {
    with_request(agency, [&](const Request &request, int thread) {
        int customer = node_of(agency, CUSTOMERS, request.customer), items[KINDS];
        for (int kind = 0; kind < KINDS; kind++) {
            items[kind] = dearest_item(agency, request, kind);
        }
        with_held_locks(agency.locks, [&](HeldLocks &held) {
            if (!held.lock(customer)) {
                return false;
            }
            for (int kind = 0; kind < KINDS; kind++) {
                if (items[kind] != NONE && !held.lock(items[kind])) {
                    return false;
                }
            }
            for (int kind = 0; kind < KINDS; kind++) {
                if (items[kind] != NONE) {
                    reserve_item(agency, customer, items[kind], 1 + thread * KINDS + kind);
                }
            }
            return true;
        });
    });
}

extern "C" __global__ void vacation_reserve_lock(Agency agency) {
    with_request(agency, [&](const Request &request, int thread) {
        under_lock(agency.lock, [&] { reserve(agency, request, thread); });
    });
}

// ---- host ----

enum Action { CHANGES, RESERVATIONS };

struct Sizes {
    int entries, customers, threads, queries;
    Action action;
};

struct Input {
    std::vector<RbNode> nodes;
    std::vector<Entry> entries;
    std::vector<Request> requests;
    std::vector<int> expected[TABLES]; // for each key: seats of an item (1: a customer), 0: none
    int most_expensive;
};

// Keys of the tables are even; inserted ones are odd.
static void add_table(Lcg &random, int table, int count, Action action, Input &input) {
    input.expected[table].assign(2 * count, 0);
    for (int number : shuffled(random, count)) {
        int key = 2 * number, node = (int)input.nodes.size();
        int seats = table == CUSTOMERS ? 1 : action == CHANGES ? 1000 : 1 + (int)random.below(4);
        input.nodes.push_back({});
        input.entries.push_back({0, seats, seats, 50 + (int)random.below(450), NONE});
        rb_insert(input.nodes.data(), top_of(table), rb_find(input.nodes.data(), top_of(table), key), node, key);
        input.expected[table][key] = seats;
    }
}

static Query random_query(Lcg &random, const Sizes &sizes) {
    int kind = (int)random.below(KINDS);
    return {kind, 2 * (int)random.below(sizes.entries)};
}

// One in ten inserts or removes a node, by turns in each table; the others concern items that are not removed.
static Change random_change(Lcg &random, const Sizes &sizes, int number, const std::vector<int> *keys, Input &input) {
    if (number % 10 == 0) {
        int turn = number / 10, table = turn / 2 % TABLES, key = 2 * keys[table][turn % keys[table].size()];
        bool inserts = turn % 2 == 0;
        int seats = inserts ? 100 : 0, node = inserts ? (int)input.nodes.size() : NONE;
        if (inserts) {
            input.nodes.push_back({});
            input.entries.push_back({});
        }
        input.expected[table][key + inserts] = seats;
        return {table, key + inserts, node, seats};
    }
    int table = (int)random.below(KINDS), removed = 1 + blocks_for(sizes.threads, 10);
    int stay = std::max(1, sizes.entries - removed), at = sizes.entries - 1 - (int)random.below(stay);
    int key = 2 * keys[table][at], seats = random.below(2) ? 5 : -5;
    input.expected[table][key] += seats;
    return {table, key, NONE, seats};
}

static Input random_input(Lcg &random, const Sizes &sizes) {
    Input input;
    input.nodes.resize(FIRST_NODE);
    input.entries.resize(FIRST_NODE);
    std::vector<int> keys[TABLES]; // in the order in which they are removed
    for (int table = 0; table < TABLES; table++) {
        int count = table == CUSTOMERS ? sizes.customers : sizes.entries;
        add_table(random, table, count, sizes.action, input);
        keys[table] = shuffled(random, count);
    }
    for (int i = 0; i < sizes.threads; i++) {
        Request request = {};
        request.count = sizes.action == CHANGES ? sizes.queries : 1 + (int)random.below(sizes.queries);
        request.customer = 2 * (int)random.below(sizes.customers);
        for (int q = 0; q < request.count; q++) {
            request.queries[q] = random_query(random, sizes);
        }
        if (sizes.action == CHANGES) {
            request.change = random_change(random, sizes, i, keys, input);
        }
        input.requests.push_back(request);
    }
    return input;
}

static void check_table(const std::vector<RbNode> &nodes, const std::vector<Entry> &entries, int table,
                        const std::vector<int> &expected) {
    std::vector<int> seats(expected.size(), 0);
    rb_check(nodes, top_of(table), (int)expected.size(), [&](int node) {
        seats[nodes[node].key] = entries[node].total;
        expect_equal("used and free seats", node, entries[node].total, entries[node].used + entries[node].free);
        expect_true("seats are no fewer than none", node, entries[node].used >= 0 && entries[node].free >= 0);
        expect_true("a price is one of the prices", node, entries[node].price < 500);
    });
    expect_same("seats of a key", expected, seats);
}

// Counts what the customers have reserved of each item.
static void count_reservations(const std::vector<Entry> &entries, int customer,
                               const std::vector<Reservation> &reservations, std::vector<int> &reserved,
                               std::vector<int> &seen) {
    int last = 0;
    for (int at = entries[customer].first; at != NONE; at = reservations[at].next) {
        expect_true("a link leads to a reservation", customer, at > 0 && at < (int)reservations.size());
        expect_equal("times that a reservation is in a list", at, 1, ++seen[at]);
        int item = reservations[at].item;
        expect_true("a list is sorted, without duplicates", at, item > last && item < (int)entries.size());
        expect_equal("price of a reservation", at, entries[item].price, reservations[at].price);
        reserved[item]++;
        last = item;
    }
}

static void check_agency(const Agency &agency, const Input &input) {
    std::vector<RbNode> nodes = region_to_host(agency.nodes, input.nodes.size());
    std::vector<Entry> entries = region_to_host(agency.entries, nodes.size());
    std::vector<Reservation> reservations = region_to_host(agency.reservations, 1 + agency.count * KINDS);
    for (int table = 0; table < TABLES; table++) {
        check_table(nodes, entries, table, input.expected[table]);
    }
    std::vector<int> reserved(nodes.size(), 0), seen(reservations.size(), 0), used;
    rb_check(nodes, top_of(CUSTOMERS), (int)input.expected[CUSTOMERS].size(),
             [&](int customer) { count_reservations(entries, customer, reservations, reserved, seen); });
    for (const Entry &entry : entries) {
        used.push_back(entry.used);
    }
    expect_same("used seats of an item", reserved, used);
    expect_all_free(to_host(agency.locks, nodes.size()));
}

static Sizes read_sizes(int argc, char **argv, int *placement, BenchOptions *options) {
    static const char *const ACTIONS[] = {"changes", "reservations", nullptr};
    static const int ENTRIES[] = {40, 500, 1000}, THREADS[] = {24, 150, 140};
    int input = 0, action = -1, entries = 0, customers = 0, threads = 0, queries = 0;
    *options = bench_options(
        argc, argv, {}, 2017,
        {input_option(&input),
         {"action", "what transactions do (input 2: reservations, else changes)", &action, ACTIONS, 0, 0},
         {"entries", "of a table of items, instead of the input's", &entries, nullptr, 8, 1 << 14},
         {"customers", "instead of as many as items for changes, 5 for reservations", &customers, nullptr, 5, 1 << 14},
         {"threads", "instead of the input's", &threads, nullptr, 1, 1 << 14},
         {"queries", "of a transaction that changes a table, at most of one that reserves", &queries, nullptr, 1,
          MOST_QUERIES},
         placement_option(placement)});
    Action chosen = action >= 0 ? (Action)action : input == 2 ? RESERVATIONS : CHANGES;
    entries = entries ? entries : ENTRIES[input];
    customers = customers ? customers : chosen == CHANGES ? entries : 5;
    queries = queries ? queries : chosen == CHANGES ? 3 : 4;
    return {entries, customers, threads ? threads : THREADS[input], queries, chosen};
}

int main(int argc, char **argv) {
    int placement = 0;
    BenchOptions options;
    Sizes sizes = read_sizes(argc, argv, &placement, &options);
    Lcg random(options.seed);
    Input input = random_input(random, sizes);
    Agency agency = {region_of(input.nodes),
                     region_of(input.entries),
                     region_of(std::vector<Reservation>(1 + sizes.threads * KINDS)),
                     to_device(input.requests),
                     sizes.threads,
                     device_zeros<int>(input.nodes.size()),
                     device_zeros<int>(1)};

    void (*const kernels[][3])(Agency) = {{vacation_change_tm, vacation_change_fgl, vacation_change_lock},
                                          {vacation_reserve_tm, vacation_reserve_fgl, vacation_reserve_lock}};
    Geometry launch = geometry(sizes.threads, placement);
    kernels[sizes.action][options.version]<<<launch.blocks, launch.block>>>(agency);
    CHECK_KERNEL();

    check_agency(agency, input);
    printf("Vacation: %d transactions, %d x %d threads, %d items a table, version %s\n", sizes.threads, launch.blocks,
           launch.block, sizes.entries, VERSION_NAMES[options.version]);
    return pass();
}
