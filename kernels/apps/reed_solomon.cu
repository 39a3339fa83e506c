// reed_solomon: error-correcting codes. A concatenated system: Reed-Solomon (255,223) over GF(256) around a
// rate-1/2 convolutional code of constraint length 7; the Viterbi decoder runs one frame a warp with two
// states a lane, the Reed-Solomon decoder (syndromes, Berlekamp-Massey, Chien search, Forney) one codeword a
// thread.
// Exercises: lookup tables in constant memory, 8-bit arithmetic, local arrays, data-dependent loops,
// shuffles with computed source lanes, ballots as survivor storage, loops that run backwards through global
// memory.
// Checked by known field identities, exact recovery of the messages after planted errors, and reported
// failures where more errors were planted than the code can correct.
#include "../app.h"

static const int N = 255, K = 223, PARITY = N - K, T = PARITY / 2;
static const int TAIL = 6;
static const unsigned POLY_A = 0171, POLY_B = 0133; // octal, the usual pair

struct Field {
    uint8_t power[512], log[256];
};

__constant__ Field field;

__device__ __forceinline__ uint8_t mul(uint8_t a, uint8_t b)
{
    return a && b ? field.power[field.log[a] + field.log[b]] : 0;
}

__device__ __forceinline__ uint8_t divide(uint8_t a, uint8_t b)
{
    return a ? field.power[field.log[a] + 255 - field.log[b]] : 0;
}

__device__ uint8_t evaluate(const uint8_t *p, int degree, uint8_t x)
{
    uint8_t v = 0;
    for (int i = degree; i >= 0; i--)
        v = mul(v, x) ^ p[i];
    return v;
}

// The remainder of message(x) x^32 by the generator, in a shift register.
__global__ void rs_encode_kernel(const uint8_t *message, const uint8_t *generator, uint8_t *word, int count)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= count)
        return;
    uint8_t r[PARITY] = {0};
    for (int i = 0; i < K; i++) {
        uint8_t c = message[w * K + i], feedback = c ^ r[PARITY - 1];
        word[w * N + i] = c;
        for (int k = PARITY - 1; k > 0; k--)
            r[k] = r[k - 1] ^ mul(feedback, generator[k]);
        r[0] = mul(feedback, generator[0]);
    }
    for (int k = 0; k < PARITY; k++)
        word[w * N + K + k] = r[PARITY - 1 - k];
}

// Berlekamp-Massey: the shortest shift register that makes the syndromes; returns its length.
__device__ int locator(const uint8_t *syndrome, uint8_t *lambda)
{
    uint8_t previous[PARITY + 1] = {1}, t[PARITY + 1];
    for (int i = 0; i <= PARITY; i++)
        lambda[i] = i == 0;
    int length = 0, gap = 1;
    uint8_t scale = 1;
    for (int n = 0; n < PARITY; n++) {
        uint8_t d = syndrome[n];
        for (int i = 1; i <= length; i++)
            d ^= mul(lambda[i], syndrome[n - i]);
        if (d == 0) {
            gap++;
            continue;
        }
        uint8_t f = divide(d, scale);
        for (int i = 0; i <= PARITY; i++)
            t[i] = lambda[i];
        for (int i = gap; i <= PARITY; i++)
            lambda[i] ^= mul(f, previous[i - gap]);
        if (2 * length <= n) {
            length = n + 1 - length;
            for (int i = 0; i <= PARITY; i++)
                previous[i] = t[i];
            scale = d;
            gap = 1;
        } else {
            gap++;
        }
    }
    return length;
}

// corrected[w]: number of symbols changed, or -1 when the word is beyond repair (it is then left as
// received).
__global__ void rs_decode_kernel(uint8_t *word, int *corrected, int count)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= count)
        return;
    uint8_t *c = word + w * N, syndrome[PARITY], lambda[PARITY + 1], omega[PARITY], any = 0;
    for (int j = 0; j < PARITY; j++) { // symbol i has degree N - 1 - i; the roots are alpha^0 .. alpha^31
        uint8_t v = 0;
        for (int i = 0; i < N; i++)
            v = (v ? field.power[field.log[v] + j] : 0) ^ c[i];
        syndrome[j] = v;
        any |= v;
    }
    corrected[w] = 0;
    if (!any)
        return;
    int errors = locator(syndrome, lambda), found = 0, place[T];
    uint8_t value[T];
    for (int i = 0; i < PARITY; i++) {
        omega[i] = 0;
        for (int k = 0; k <= i; k++)
            omega[i] ^= mul(lambda[k], syndrome[i - k]);
    }
    corrected[w] = -1;
    if (errors > T)
        return;
    for (int degree = 0; degree < N && found <= errors; degree++) {
        uint8_t x = field.power[(255 - degree) % 255]; // alpha^-degree
        if (evaluate(lambda, errors, x) != 0)
            continue;
        if (found == errors)
            return;
        uint8_t slope = 0; // formal derivative: odd terms only
        for (int i = 1; i <= errors; i += 2)
            slope ^= mul(lambda[i], field.power[field.log[x] * (i - 1) % 255]);
        place[found] = N - 1 - degree;
        value[found++] = mul(divide(evaluate(omega, PARITY - 1, x), slope), field.power[degree]);
    }
    if (found != errors)
        return;
    for (int i = 0; i < found; i++)
        c[place[i]] ^= value[i];
    corrected[w] = found;
}

__device__ __host__ inline unsigned parity(unsigned x)
{
    x ^= x >> 4;
    x ^= x >> 2;
    return (x ^ x >> 1) & 1;
}

// State s after bit b: the newest bit is the lowest. Lane l holds the states l (in low) and l + 32 (in
// high); state s follows from s >> 1 and (s >> 1) + 32, so its two predecessors lie in lane s >> 1.
__global__ void viterbi_kernel(const uint8_t *symbols, int steps, uint2 *survivors, uint8_t *bits,
                               int *metric)
{
    const unsigned all = 0xffffffffu;
    int frame = blockIdx.x, lane = threadIdx.x;
    const uint8_t *in = symbols + (size_t)frame * steps;
    uint2 *trail = survivors + (size_t)frame * steps;
    int low = lane == 0 ? 0 : 1000, high = 1000; // path costs; the encoder starts in state 0
    for (int s = 0; s < steps; s++) {
        unsigned got = in[s]; // two hard bits
        int next[2];
        unsigned choice[2];
        for (int half = 0; half < 2; half++) {
            unsigned state = lane + 32 * half;
            // predecessors p = state >> 1 and p + 32: the bit that drops out is 0 or 1
            int source = state >> 1, from0 = __shfl_sync(all, low, source),
                from1 = __shfl_sync(all, high, source);
            int cost[2] = {from0, from1};
            for (int old = 0; old < 2; old++) {
                unsigned reg = state | (unsigned)old << 6;
                unsigned out = parity(reg & POLY_A) | parity(reg & POLY_B) << 1;
                cost[old] += __popc(out ^ got);
            }
            choice[half] = __ballot_sync(all, cost[1] < cost[0]);
            next[half] = min(cost[0], cost[1]);
        }
        low = next[0];
        high = next[1];
        if (lane == 0)
            trail[s] = make_uint2(choice[0], choice[1]);
    }
    __syncwarp();
    if (lane != 0)
        return;
    metric[frame] = low; // the tail drives the encoder back to state 0
    unsigned state = 0;
    for (int s = steps - 1; s >= 0; s--) {
        uint2 c = trail[s];
        unsigned old = (state < 32 ? c.x >> state : c.y >> (state - 32)) & 1;
        bits[(size_t)frame * steps + s] = state & 1;
        state = state >> 1 | old << 5;
    }
}

static Field make_field()
{
    Field f = {};
    unsigned x = 1;
    for (int i = 0; i < 512; i++) {
        f.power[i] = (uint8_t)x;
        if (i < 255)
            f.log[x] = (uint8_t)i;
        x = x << 1 ^ (x & 0x80 ? 0x11d : 0);
    }
    return f;
}

static uint8_t slow_mul(unsigned a, unsigned b)
{
    unsigned r = 0;
    for (int i = 7; i >= 0; i--) {
        r = r << 1 ^ (r & 0x80 ? 0x11d : 0);
        r ^= b >> i & 1 ? a : 0;
    }
    return (uint8_t)r;
}

static std::vector<uint8_t> host_convolve(const std::vector<int> &message)
{
    std::vector<uint8_t> out;
    std::vector<int> window(7, 0); // newest first
    for (size_t i = 0; i < message.size() + TAIL; i++) {
        window.insert(window.begin(), i < message.size() ? message[i] : 0);
        window.pop_back();
        int a = 0, b = 0;
        for (int k = 0; k < 7; k++) {
            a ^= window[k] & (int)(POLY_A >> k);
            b ^= window[k] & (int)(POLY_B >> k);
        }
        out.push_back((uint8_t)((a & 1) | (b & 1) << 1));
    }
    return out;
}

static void check_reed_solomon(int words, app::Lcg &rng)
{
    Field f = make_field();
    GPU(cudaMemcpyToSymbol(field, &f, sizeof f));
    std::vector<uint8_t> generator(1, 1); // product of (x - alpha^j), lowest degree first
    for (int j = 0; j < PARITY; j++) {
        generator.insert(generator.begin(), 0);
        for (size_t i = 0; i + 1 < generator.size(); i++)
            generator[i] ^= slow_mul(generator[i + 1], f.power[j]);
    }
    std::vector<uint8_t> message(words * K);
    for (uint8_t &m : message)
        m = (uint8_t)rng.next();
    app::Buffer<uint8_t> d_message(message), d_generator(generator), d_word(words * N);
    app::Buffer<int> d_corrected(words);
    int blocks = app::blocks_for(words, 32);
    rs_encode_kernel<<<blocks, 32>>>(d_message.get(), d_generator.get(), d_word.get(), words);
    GPU_DONE();
    std::vector<uint8_t> clean = d_word.read(), sent = clean;
    std::vector<int> planted(words);
    for (int w = 0; w < words; w++) {
        for (int j = 0; j < PARITY; j++) { // a codeword vanishes at every root
            uint8_t v = 0;
            for (int i = 0; i < N; i++)
                v = slow_mul(v, f.power[j]) ^ clean[w * N + i];
            app::equal("codeword at root", w * PARITY + j, 0, (int)v);
        }
        planted[w] = w % 4 == 3 ? T + 3 : (int)rng.below(T + 1);
        std::vector<int> places;
        while ((int)places.size() < planted[w]) {
            int at = (int)rng.below(N);
            if (std::find(places.begin(), places.end(), at) == places.end()) {
                places.push_back(at);
                sent[w * N + at] ^= (uint8_t)(1 + rng.below(255));
            }
        }
    }
    d_word.write(sent);
    rs_decode_kernel<<<blocks, 32>>>(d_word.get(), d_corrected.get(), words);
    GPU_DONE();
    std::vector<uint8_t> got = d_word.read();
    std::vector<int> corrected = d_corrected.read();
    for (int w = 0; w < words; w++) {
        bool beyond = planted[w] > T;
        app::equal("symbols corrected in word", w, beyond ? -1 : planted[w], corrected[w]);
        for (int i = 0; i < N; i++)
            app::equal("decoded symbol", w * N + i, (int)(beyond ? sent : clean)[w * N + i],
                       (int)got[w * N + i]);
    }
}

static void check_viterbi(int frames, int length, app::Lcg &rng)
{
    int steps = length + TAIL;
    std::vector<uint8_t> symbols;
    std::vector<std::vector<int>> message(frames, std::vector<int>(length));
    std::vector<int> flips(frames, 0);
    for (int f = 0; f < frames; f++) {
        for (int &b : message[f])
            b = (int)rng.below(2);
        std::vector<uint8_t> s = host_convolve(message[f]);
        for (int i = (int)rng.below(12); i + 12 < steps; i += 14 + (int)rng.below(8)) {
            s[i] ^=
                (uint8_t)(1 << rng.below(2)); // free distance 10: single errors this far apart are corrected
            flips[f]++;
        }
        symbols.insert(symbols.end(), s.begin(), s.end());
    }
    app::Buffer<uint8_t> d_symbols(symbols), d_bits(symbols.size());
    app::Buffer<uint2> d_survivors(symbols.size());
    app::Buffer<int> d_metric(frames);
    viterbi_kernel<<<frames, 32>>>(d_symbols.get(), steps, d_survivors.get(), d_bits.get(), d_metric.get());
    GPU_DONE();
    std::vector<uint8_t> bits = d_bits.read();
    std::vector<int> metric = d_metric.read();
    for (int f = 0; f < frames; f++) {
        app::equal("distance of the decoded path", f, flips[f], metric[f]);
        for (int i = 0; i < steps; i++)
            app::equal("decoded bit", f * steps + i, i < length ? message[f][i] : 0,
                       (int)bits[f * steps + i]);
    }
}

int main(int argc, char **argv)
{
    int words = app::start(argc, argv, "reed_solomon", 16, 4, 2000);
    app::Lcg rng(24);
    check_reed_solomon(words, rng);
    check_viterbi(words / 2, 180, rng);
    return app::pass();
}
