// quantum_circuit: quantum computing. A state-vector simulator: single-qubit gates through a class hierarchy
// on the device, controlled phases, swaps, Grover's search with its oracle as a functor, the quantum Fourier
// transform, and measurement by a prefix sum over probabilities.
// Exercises: virtual functions called uniformly, functors as kernel arguments, a lambda inside one, double2
// vector loads and stores, bit deposits to enumerate amplitude pairs, managed memory touched by both sides,
// a stream beside the default one, shared-memory low-qubit fusion, sincospi.
// Checked against the closed forms of Grover and Fourier, dense gate matrices applied on the host, and unit
// norm.
#include "../app.h"

#include <new>

__host__ __device__ inline double2 operator+(double2 a, double2 b)
{
    return make_double2(a.x + b.x, a.y + b.y);
}

__host__ __device__ inline double2 operator*(double2 a, double2 b)
{
    return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__host__ __device__ inline double norm(double2 a)
{
    return a.x * a.x + a.y * a.y;
}

struct Matrix {
    double2 m[2][2];
};

// A gate turns a pair of amplitudes (target bit 0, target bit 1) into another.
class Gate {
public:
    __device__ virtual void apply(double2 &a0, double2 &a1) const = 0;
};

class Hadamard : public Gate {
public:
    __device__ void apply(double2 &a0, double2 &a1) const override
    {
        const double h = 0.70710678118654752440;
        double2 s = make_double2(h * (a0.x + a1.x), h * (a0.y + a1.y));
        a1 = make_double2(h * (a0.x - a1.x), h * (a0.y - a1.y));
        a0 = s;
    }
};

class Phase : public Gate { // exp(i pi turns) on |1>
    double turns_;

public:
    __device__ explicit Phase(double turns) : turns_(turns) {}
    __device__ void apply(double2 &, double2 &a1) const override
    {
        double s, c;
        sincospi(turns_, &s, &c);
        a1 = a1 * make_double2(c, s);
    }
};

class General : public Gate {
    Matrix u_;

public:
    __device__ explicit General(const Matrix &u) : u_(u) {}
    __device__ void apply(double2 &a0, double2 &a1) const override
    {
        double2 b0 = u_.m[0][0] * a0 + u_.m[0][1] * a1;
        a1 = u_.m[1][0] * a0 + u_.m[1][1] * a1;
        a0 = b0;
    }
};

enum Kind { HADAMARD, PHASE, GENERAL };

struct Step {
    Kind kind;
    int target;
    unsigned controls; // bits that must be set
    double turns;
    Matrix u;
};

__global__ void make_gate(Step s, char *memory)
{
    switch (s.kind) {
    case HADAMARD: new (memory) Hadamard(); break;
    case PHASE: new (memory) Phase(s.turns); break;
    default: new (memory) General(s.u); break;
    }
}

__device__ inline unsigned insert_zero(unsigned i, int bit)
{
    unsigned low = i & ((1u << bit) - 1);
    return (i - low) << 1 | low;
}

__global__ void gate_kernel(double2 *state, const Gate *gate, int target, unsigned controls, unsigned pairs)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    unsigned low = insert_zero(i, target);
    if ((low & controls) == controls)
        gate->apply(state[low], state[low | 1u << target]);
}

// Hadamard on the lowest qubits at once, one tile of amplitudes in shared memory.
__global__ void hadamard_low_kernel(double2 *state, int qubits)
{
    extern __shared__ double2 tile[];
    unsigned size = 1u << qubits, base = blockIdx.x * size;
    for (unsigned i = threadIdx.x; i < size; i += blockDim.x)
        tile[i] = state[base + i];
    Hadamard h;
    for (int q = 0; q < qubits; q++) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < size / 2; i += blockDim.x) {
            unsigned low = insert_zero(i, q);
            h.apply(tile[low], tile[low | 1u << q]);
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < size; i += blockDim.x)
        state[base + i] = tile[i];
}

template <class Predicate> __global__ void flip_kernel(double2 *state, unsigned n, Predicate marked)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && marked(i))
        state[i] = make_double2(-state[i].x, -state[i].y);
}

struct OneOf { // a small set of marked basis states
    unsigned state[4];
    int count;
    __device__ bool operator()(unsigned i) const
    {
        auto is_marked = [this](unsigned v) {
            for (int k = 0; k < count; k++)
                if (state[k] == v)
                    return true;
            return false;
        };
        return is_marked(i);
    }
};

struct NotZero {
    __device__ bool operator()(unsigned i) const { return i != 0; }
};

__global__ void swap_kernel(double2 *state, int p, int q, unsigned quarter)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quarter)
        return;
    unsigned base = insert_zero(insert_zero(i, min(p, q)), max(p, q));
    double2 t = state[base | 1u << p];
    state[base | 1u << p] = state[base | 1u << q];
    state[base | 1u << q] = t;
}

// One block: cumulative probabilities in place of a table, then one outcome for each drawn number.
__global__ void measure_kernel(const double2 *state, double *cumulative, unsigned n, const double *draws,
                               int shots, unsigned *outcome)
{
    __shared__ double part[256];
    unsigned per = n / blockDim.x, first = threadIdx.x * per;
    double sum = 0;
    for (unsigned i = first; i < first + per; i++)
        sum += norm(state[i]);
    part[threadIdx.x] = sum;
    __syncthreads();
    double before = 0;
    for (unsigned t = 0; t < threadIdx.x; t++)
        before += part[t];
    for (unsigned i = first; i < first + per; i++) {
        before += norm(state[i]);
        cumulative[i] = before;
    }
    __syncthreads();
    for (int s = threadIdx.x; s < shots; s += blockDim.x) {
        unsigned low = 0, high = n - 1;
        while (low < high) {
            unsigned mid = (low + high) / 2;
            if (cumulative[mid] > draws[s])
                high = mid;
            else
                low = mid + 1;
        }
        outcome[s] = low;
    }
}

class Register {
    int qubits_;
    double2 *state_; // managed
    app::Buffer<char> gate_;
    cudaStream_t stream_;

public:
    explicit Register(int qubits) : qubits_(qubits), gate_(128)
    {
        GPU(cudaMallocManaged(&state_, sizeof(double2) << qubits));
        GPU(cudaStreamCreate(&stream_));
        set_basis(0);
    }
    ~Register()
    {
        cudaStreamDestroy(stream_);
        cudaFree(state_);
    }
    unsigned size() const { return 1u << qubits_; }
    double2 *state() const { return state_; }
    void set_basis(unsigned b)
    {
        for (unsigned i = 0; i < size(); i++)
            state_[i] = make_double2(i == b, 0);
    }
    void finish() { GPU(cudaStreamSynchronize(stream_)); }
    void apply(const Step &s)
    {
        make_gate<<<1, 1, 0, stream_>>>(s, gate_.get());
        gate_kernel<<<app::blocks_for(size() / 2, 128), 128, 0, stream_>>>(state_, (const Gate *)gate_.get(),
                                                                           s.target, s.controls, size() / 2);
    }
    void hadamard_all()
    {
        int low = std::min(qubits_, 6);
        unsigned tiles = size() >> low;
        size_t bytes = sizeof(double2) << low;
        hadamard_low_kernel<<<tiles, 32, bytes, stream_>>>(state_, low);
        for (int q = low; q < qubits_; q++)
            apply(Step{HADAMARD, q, 0, 0, {}});
    }
    template <class Predicate> void flip(Predicate p)
    {
        flip_kernel<<<app::blocks_for(size(), 128), 128, 0, stream_>>>(state_, size(), p);
    }
    void fourier()
    {
        for (int q = qubits_ - 1; q >= 0; q--) {
            apply(Step{HADAMARD, q, 0, 0, {}});
            for (int c = q - 1; c >= 0; c--)
                apply(Step{PHASE, q, 1u << c, std::ldexp(1.0, c - q), {}});
        }
        for (int q = 0; q < qubits_ / 2; q++)
            swap_kernel<<<app::blocks_for(size() / 4, 128), 128, 0, stream_>>>(state_, q, qubits_ - 1 - q,
                                                                               size() / 4);
    }
    void check_norm(const char *what)
    {
        finish();
        double sum = 0;
        for (unsigned i = 0; i < size(); i++)
            sum += norm(state_[i]);
        app::close_to("norm", what, 1, sum, 1e-12);
    }
};

static Matrix random_unitary(app::Lcg &rng)
{
    double t = rng.between(0, M_PI), a = rng.between(0, 6), b = rng.between(0, 6), c = std::cos(t),
           s = std::sin(t);
    return Matrix{
        {{make_double2(c * std::cos(a), c * std::sin(a)), make_double2(s * std::cos(b), s * std::sin(b))},
         {make_double2(-s * std::cos(b), s * std::sin(b)), make_double2(c * std::cos(a), -c * std::sin(a))}}};
}

// Every output amplitude from its definition, gate by gate.
static void host_apply(std::vector<double2> &state, const Step &s)
{
    Matrix u = s.u;
    if (s.kind == HADAMARD)
        u = Matrix{{{make_double2(M_SQRT1_2, 0), make_double2(M_SQRT1_2, 0)},
                    {make_double2(M_SQRT1_2, 0), make_double2(-M_SQRT1_2, 0)}}};
    if (s.kind == PHASE)
        u = Matrix{{{make_double2(1, 0), make_double2(0, 0)},
                    {make_double2(0, 0), make_double2(std::cos(M_PI * s.turns), std::sin(M_PI * s.turns))}}};
    std::vector<double2> old = state;
    for (unsigned i = 0; i < state.size(); i++) {
        unsigned mask = 1u << s.target, row = i & mask ? 1 : 0;
        if ((i & s.controls) == s.controls)
            state[i] = u.m[row][0] * old[i & ~mask] + u.m[row][1] * old[i | mask];
    }
}

static void check_random_circuit(int qubits, app::Lcg &rng)
{
    Register r(qubits);
    std::vector<double2> host(r.size(), make_double2(0, 0));
    host[0].x = 1;
    for (int k = 0; k < 24; k++) {
        Step s = {(Kind)rng.below(3), (int)rng.below(qubits), 0, rng.between(-1, 1), random_unitary(rng)};
        for (int c = 0; c < 2 && k % 2; c++) {
            int q = (int)rng.below(qubits);
            s.controls |= q != s.target ? 1u << q : 0;
        }
        r.apply(s);
        host_apply(host, s);
    }
    r.check_norm("random circuit");
    for (unsigned i = 0; i < r.size(); i++) {
        app::close_to("amplitude, real", i, host[i].x, r.state()[i].x, 1e-12);
        app::close_to("amplitude, imaginary", i, host[i].y, r.state()[i].y, 1e-12);
    }
}

static void check_fourier(int qubits, unsigned basis)
{
    Register r(qubits);
    r.set_basis(basis);
    r.fourier();
    r.check_norm("Fourier transform");
    double size = std::sqrt((double)r.size());
    for (unsigned i = 0; i < r.size(); i++) {
        double angle = 2 * M_PI * (double)((unsigned long long)i * basis % r.size()) / r.size();
        app::close_to("Fourier, real", i, std::cos(angle) / size, r.state()[i].x, 1e-12);
        app::close_to("Fourier, imaginary", i, std::sin(angle) / size, r.state()[i].y, 1e-12);
    }
}

static void check_grover(int qubits, const OneOf &marked, app::Lcg &rng)
{
    Register r(qubits);
    double angle = std::asin(std::sqrt((double)marked.count / r.size()));
    int rounds = (int)(M_PI / 4 / angle);
    r.hadamard_all();
    for (int k = 0; k < rounds; k++) {
        r.flip(marked);
        r.hadamard_all();
        r.flip(NotZero()); // with the sign of the whole: a reflection about the mean
        r.hadamard_all();
    }
    r.check_norm("Grover");
    double expected = std::pow(std::sin((2 * rounds + 1) * angle), 2), found = 0;
    for (int k = 0; k < marked.count; k++)
        found += norm(r.state()[marked.state[k]]);
    app::close_to("probability of the marked states", rounds, expected, found, 1e-10);

    const int shots = 300;
    std::vector<double> draws(shots);
    for (double &d : draws)
        d = rng.unit();
    app::Buffer<double> d_draws(draws), d_cumulative(r.size());
    app::Buffer<unsigned> d_outcome(shots);
    measure_kernel<<<1, 64>>>(r.state(), d_cumulative.get(), r.size(), d_draws.get(), shots, d_outcome.get());
    GPU_DONE();
    std::vector<unsigned> outcome = d_outcome.read();
    for (int s = 0; s < shots; s++) { // the inverse of the distribution, walked from the start
        double sum = 0;
        unsigned i = 0;
        while (i + 1 < r.size() && sum + norm(r.state()[i]) <= draws[s] - 1e-12)
            sum += norm(r.state()[i++]);
        if (std::fabs(sum + norm(r.state()[i]) - draws[s]) > 1e-9)
            app::equal("outcome of shot", s, i, outcome[s]);
    }
    long hits = std::count_if(outcome.begin(), outcome.end(), [&](unsigned o) {
        return std::find(marked.state, marked.state + marked.count, o) != marked.state + marked.count;
    });
    app::close_to("shots that hit", shots, expected * shots, (double)hits, 0.1 * shots);
}

int main(int argc, char **argv)
{
    int qubits = app::start(argc, argv, "quantum_circuit", 9, 6, 16);
    app::Lcg rng(22);
    check_random_circuit(qubits, rng);
    check_fourier(qubits, 77 % (1u << qubits));
    check_grover(qubits, OneOf{{5, 0, 0, 0}, 1}, rng);
    check_grover(qubits, OneOf{{3, 17, 40, 63}, 4}, rng);
    return app::pass();
}
