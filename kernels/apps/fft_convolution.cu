// fft_convolution: signal processing. A batch of complex transforms, one block a signal: Stockham stages of
// radix 4 (and one of radix 2 where the length asks for it) between two halves of dynamic shared memory;
// then circular convolution through the frequency domain, and a spectrogram of a chirp.
// Exercises: dynamic shared memory, template length and direction, arithmetic on complex structs, sin and
// cos of device math, fused multiply-add, barriers in a counted loop, kernels instantiated for float and
// double.
// Checked against the defining sum in double, Parseval's identity, the round trip, and direct convolution.
#include "../app.h"

template <class Real> struct Complex {
    Real re, im;
};

template <class Real> __device__ inline Complex<Real> operator+(Complex<Real> a, Complex<Real> b)
{
    Complex<Real> r = {a.re + b.re, a.im + b.im};
    return r;
}

template <class Real> __device__ inline Complex<Real> operator-(Complex<Real> a, Complex<Real> b)
{
    Complex<Real> r = {a.re - b.re, a.im - b.im};
    return r;
}

template <class Real> __device__ inline Complex<Real> operator*(Complex<Real> a, Complex<Real> b)
{
    Complex<Real> r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return r;
}

__device__ inline void unit_circle(float turn, float *s, float *c)
{
    sincospif(2 * turn, s, c);
}

__device__ inline void unit_circle(double turn, double *s, double *c)
{
    sincospi(2 * turn, s, c);
}

// exp(2 pi i k / n), conjugated for the forward direction
template <bool INVERSE, class Real> __device__ Complex<Real> twiddle(int k, int n)
{
    Real s, c;
    unit_circle((Real)k / (Real)n, &s, &c);
    Complex<Real> r = {c, INVERSE ? s : -s};
    return r;
}

template <bool INVERSE, class Real> __device__ Complex<Real> quarter_turn(Complex<Real> a)
{
    Complex<Real> r = {INVERSE ? -a.im : a.im, INVERSE ? a.re : -a.re};
    return r;
}

// Stockham: with `done` points already combined, butterfly i reads i + k * n / R and writes to its sorted
// place.
template <bool INVERSE, class Real>
__device__ void radix4_stage(const Complex<Real> *from, Complex<Real> *to, int n, int done)
{
    for (int i = threadIdx.x; i < n / 4; i += blockDim.x) {
        int low = i % done, place = (i / done) * done * 4 + low;
        Complex<Real> v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            v[k] = from[i + k * (n / 4)];
            if (k)
                v[k] = v[k] * twiddle<INVERSE, Real>(k * low, 4 * done);
        }
        Complex<Real> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3];
        Complex<Real> d = quarter_turn<INVERSE>(v[1] - v[3]);
        to[place] = a + c;
        to[place + done] = b + d;
        to[place + 2 * done] = a - c;
        to[place + 3 * done] = b - d;
    }
}

template <bool INVERSE, class Real>
__device__ void radix2_stage(const Complex<Real> *from, Complex<Real> *to, int n, int done)
{
    for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
        int low = i % done, place = (i / done) * done * 2 + low;
        Complex<Real> a = from[i], b = from[i + n / 2] * twiddle<INVERSE, Real>(low, 2 * done);
        to[place] = a + b;
        to[place + done] = a - b;
    }
}

// All stages of one block's signal; returns the half of the storage that holds the result.
template <int LOG, bool INVERSE, class Real>
__device__ Complex<Real> *all_stages(Complex<Real> *from, Complex<Real> *to)
{
    const int n = 1 << LOG;
    for (int done = 1; done < n;) {
        __syncthreads();
        if (n / done >= 4) {
            radix4_stage<INVERSE>(from, to, n, done);
            done *= 4;
        } else {
            radix2_stage<INVERSE>(from, to, n, done);
            done *= 2;
        }
        Complex<Real> *t = from;
        from = to;
        to = t;
    }
    __syncthreads();
    return from;
}

template <int LOG, bool INVERSE, class Real>
__global__ void fft_kernel(const Complex<Real> *in, Complex<Real> *out)
{
    extern __shared__ double2 storage[];
    const int n = 1 << LOG;
    Complex<Real> *signal = (Complex<Real> *)storage;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        signal[i] = in[(size_t)blockIdx.x * n + i];
    Complex<Real> *result = all_stages<LOG, INVERSE>(signal, signal + n);
    Real scale = INVERSE ? (Real)1 / (Real)n : (Real)1;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        Complex<Real> v = {result[i].re * scale, result[i].im * scale};
        out[(size_t)blockIdx.x * n + i] = v;
    }
}

// Windowed frames at a hop of half a frame; the strongest bin of the lower half of each spectrum goes out.
template <int LOG> __global__ void spectrogram_kernel(const float *wave, int *peak)
{
    extern __shared__ double2 storage[];
    __shared__ unsigned long long best;
    const int n = 1 << LOG;
    Complex<float> *frame = (Complex<float> *)storage;
    if (threadIdx.x == 0)
        best = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float window = 0.5f - 0.5f * cospif(2.0f * i / n);
        Complex<float> v = {wave[blockIdx.x * (n / 2) + i] * window, 0};
        frame[i] = v;
    }
    Complex<float> *spectrum = all_stages<LOG, false>(frame, frame + n);
    unsigned long long mine = 0;
    for (int k = threadIdx.x; k < n / 2; k += blockDim.x) {
        float power = spectrum[k].re * spectrum[k].re + spectrum[k].im * spectrum[k].im;
        // a non-negative float orders like its bits
        mine = max(mine, (unsigned long long)__float_as_uint(power) << 32 | (unsigned)k);
    }
    atomicMax(&best, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        peak[blockIdx.x] = (int)(unsigned)best;
}

// Signal b multiplied by the spectrum of signal 0 of the batch.
template <class Real>
__global__ void filter_kernel(Complex<Real> *spectra, const Complex<Real> *filter, int n, int total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < total)
        spectra[i] = spectra[i] * filter[i % n];
}

template <int LOG, bool INVERSE, class Real>
static void transform(const app::Buffer<Complex<Real>> &in, app::Buffer<Complex<Real>> &out, int batch)
{
    size_t bytes = 2 * sizeof(Complex<Real>) << LOG;
    fft_kernel<LOG, INVERSE, Real><<<batch, 64, bytes>>>(in.get(), out.get());
    GPU_DONE();
}

template <class Real> static std::vector<Complex<double>> host_dft(const Complex<Real> *x, int n)
{
    std::vector<Complex<double>> circle(n), r(n);
    for (int k = 0; k < n; k++)
        circle[k] = {std::cos(2 * M_PI * k / n), -std::sin(2 * M_PI * k / n)};
    for (int k = 0; k < n; k++)
        for (int t = 0; t < n; t++) {
            Complex<double> w = circle[(long)k * t % n];
            r[k].re += x[t].re * w.re - x[t].im * w.im;
            r[k].im += x[t].re * w.im + x[t].im * w.re;
        }
    return r;
}

template <class Real>
static void compare(const char *what, int where, double re, double im, Complex<Real> got, double tolerance)
{
    app::close_to(what, where, re, got.re, tolerance);
    app::close_to(what, where, im, got.im, tolerance);
}

template <int LOG, class Real>
static void check(const std::string &what, int batch, double epsilon, app::Lcg &rng)
{
    const int n = 1 << LOG;
    std::vector<Complex<Real>> x((size_t)batch * n);
    for (int i = 0; i < batch * n; i++)
        x[i] = {(Real)rng.between(-1, 1), (Real)rng.between(-1, 1)};
    for (int i = 0; i < n; i++) // signal 0 is a short real filter, signal 1 a pure tone
        x[i] = {(Real)(i < 5 ? 1.0 / (1 + i) : 0), (Real)0};
    for (int i = 0; i < n && batch > 1; i++)
        x[n + i] = {(Real)std::cos(2 * M_PI * 3 * i / n), (Real)std::sin(2 * M_PI * 3 * i / n)};

    app::Buffer<Complex<Real>> d_x(x), d_spectrum(x.size()), d_back(x.size());
    transform<LOG, false>(d_x, d_spectrum, batch);
    std::vector<Complex<Real>> spectrum = d_spectrum.read();
    double tolerance = epsilon * n;
    for (int b = 0; b < std::min(batch, 4); b++) {
        std::vector<Complex<double>> expected = host_dft(&x[(size_t)b * n], n);
        for (int k = 0; k < n; k++)
            compare((what + " spectrum").c_str(), b * n + k, expected[k].re, expected[k].im,
                    spectrum[b * n + k], tolerance);
    }
    for (int k = 0; k < n && batch > 1; k++)
        compare((what + " tone").c_str(), k, k == 3 ? n : 0, 0, spectrum[n + k], tolerance);
    for (int b = 0; b < batch; b++) {
        double in = 0, out = 0;
        for (int i = b * n; i < (b + 1) * n; i++) {
            in += (double)x[i].re * x[i].re + (double)x[i].im * x[i].im;
            out += (double)spectrum[i].re * spectrum[i].re + (double)spectrum[i].im * spectrum[i].im;
        }
        app::close_to((what + " energy").c_str(), b, in * n, out, in * n * 4 * epsilon);
    }
    transform<LOG, true>(d_spectrum, d_back, batch);
    std::vector<Complex<Real>> back = d_back.read();
    for (int i = 0; i < batch * n; i++)
        compare((what + " round trip").c_str(), i, x[i].re, x[i].im, back[i], 8 * epsilon);

    app::Buffer<Complex<Real>> d_filter(std::vector<Complex<Real>>(spectrum.begin(), spectrum.begin() + n));
    filter_kernel<<<app::blocks_for(batch * n, 128), 128>>>(d_spectrum.get(), d_filter.get(), n, batch * n);
    transform<LOG, true>(d_spectrum, d_back, batch);
    back = d_back.read();
    for (int i = 0; i < batch * n; i++) {
        int b = i / n;
        double re = 0, im = 0;
        for (int k = 0; k < 5; k++) {
            Complex<Real> v = x[(size_t)b * n + (i % n - k + n) % n];
            re += v.re / (1.0 + k);
            im += v.im / (1.0 + k);
        }
        compare((what + " convolution").c_str(), i, re, im, back[i], 32 * epsilon);
    }
}

// A chirp: the strongest bin must follow its frequency.
static void check_spectrogram(int frames, app::Lcg &rng)
{
    const int LOG = 8, n = 1 << LOG, samples = (frames + 1) * n / 2;
    std::vector<float> wave(samples);
    double phase = 0, low = 10.3, high = 90.7; // in bins
    auto frequency = [&](double at) { return low + (high - low) * at / samples; };
    for (int i = 0; i < samples; i++) {
        wave[i] = (float)(std::sin(2 * M_PI * phase) + rng.between(-0.3, 0.3));
        phase += frequency(i) / n;
    }
    app::Buffer<float> d_wave(wave);
    app::Buffer<int> d_peak(frames);
    spectrogram_kernel<LOG><<<frames, 64, 2 * n * sizeof(Complex<float>)>>>(d_wave.get(), d_peak.get());
    GPU_DONE();
    std::vector<int> peak = d_peak.read();
    double slack = 1 + (high - low) / frames;
    for (int f = 0; f < frames; f++)
        app::close_to("strongest bin of frame", f, frequency((f + 1) * n / 2.0), peak[f], slack);
}

int main(int argc, char **argv)
{
    int batch = app::start(argc, argv, "fft_convolution", 6, 1, 256);
    app::Lcg rng(7);
    check<9, float>("512 points, float", batch, 4e-7, rng);
    check<8, double>("256 points, double", batch, 1e-15, rng);
    check<3, double>("8 points, double", batch, 1e-15, rng);
    check<10, float>("1024 points, float", 1, 4e-7, rng);
    check_spectrogram(2 * batch + 6, rng);
    return app::pass();
}
