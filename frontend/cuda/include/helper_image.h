/* Images in files, and comparisons of results with references, as sample programs expect them: PGM (P5) and PPM (P6)
 * with 8 bits a component, files of numbers, arrays. Components of other types than bytes are 0 to 1 in memory. */
#ifndef COMMON_HELPER_IMAGE_H_
#define COMMON_HELPER_IMAGE_H_

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>
#include "helper_string.h"

#ifndef MIN_EPSILON_ERROR
#define MIN_EPSILON_ERROR 1e-3f
#endif

namespace simtx_image
{
/* Bytes and the components of a program. */
template <class T_> struct component {
    static T_ from(unsigned char b) { return (T_)b / (T_)255; }
    static unsigned char to(T_ v) { return (unsigned char)(v * (T_)255); }
};
template <> struct component<unsigned char> {
    static unsigned char from(unsigned char b) { return b; }
    static unsigned char to(unsigned char v) { return v; }
};

/* The next number of a header; comments reach from # to the end of the line. */
static inline bool number(FILE *f, unsigned int *n)
{
    int c = fgetc(f);
    while (c == '#' || c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        while (c == '#' && (c = fgetc(f)) != '\n' && c != EOF)
            c = '#';
        c = fgetc(f);
    }
    ungetc(c, f);
    return fscanf(f, "%9u", n) == 1;
}

/* The channels of the image, 0 if it is none; the position is that of the first byte. */
static inline unsigned int head(FILE *f, unsigned int *w, unsigned int *h)
{
    char magic[3] = "";
    unsigned int most = 0;
    bool ok = fread(magic, 1, 2, f) == 2 && number(f, w) && number(f, h) && number(f, &most);
    if (!ok || !*w || !*h || most != 255 || fgetc(f) == EOF)
        return 0;
    return !strcmp(magic, "P5") ? 1 : !strcmp(magic, "P6") ? 3 : 0;
}

static inline bool fail(const char *what, const char *file)
{
    std::cerr << what << " " << file << std::endl;
    return false;
}

/* Pixels with `channels` components; the fourth of a file with three is 0. */
template <class T_>
inline void unpack(T_ *to, const unsigned char *from, size_t pixels, unsigned int in, unsigned int out)
{
    for (size_t i = 0; i < pixels; i++)
        for (unsigned int c = 0; c < out; c++)
            to[i * out + c] = c < in ? component<T_>::from(from[i * in + c]) : T_(0);
}

template <class T_>
inline bool load(const char *file, T_ **data, unsigned int *w, unsigned int *h, unsigned int in, unsigned int out)
{
    FILE *f = fopen(file, "rb");
    if (!f)
        return fail("cannot open", file);
    bool ok = head(f, w, h) == in;
    std::vector<unsigned char> bytes(ok ? (size_t)*w * *h * in : 0);
    ok = ok && fread(bytes.data(), 1, bytes.size(), f) == bytes.size();
    fclose(f);
    if (!ok)
        return fail(in == 1 ? "not a PGM image of 8 bits:" : "not a PPM image of 8 bits:", file);
    if (!*data)
        *data = (T_ *)malloc(sizeof(T_) * *w * *h * out);
    unpack(*data, bytes.data(), (size_t)*w * *h, in, out);
    return true;
}

template <class T_>
inline bool save(const char *file, const T_ *data, unsigned int w, unsigned int h, unsigned int in, unsigned int out)
{
    std::ofstream f(file, std::ios::binary);
    f << (out == 1 ? "P5" : "P6") << "\n" << w << "\n" << h << "\n255\n";
    for (size_t i = 0; i < (size_t)w * h; i++)
        for (unsigned int c = 0; c < out; c++)
            f.put((char)component<T_>::to(data[i * in + c]));
    f.flush();
    return f.good() ? true : fail("cannot write", file);
}

/* Whether few enough elements differ by more than epsilon: at most the part `threshold`, none if that is 0. */
template <class T_, class S_>
inline bool close(const T_ *reference, const T_ *data, size_t len, S_ epsilon, float threshold, bool verbose)
{
    size_t differ = 0;
    for (size_t i = 0; i < len; i++) {
        double d = fabs((double)reference[i] - (double)data[i]);
        differ += !(d <= (double)epsilon);
    }
    bool ok = threshold == 0.0f ? differ == 0 : (double)len * threshold > (double)differ;
    if (differ && verbose)
        std::cerr << differ << " of " << len << " elements differ by more than " << epsilon << std::endl;
    return ok;
}

template <class T_> inline std::vector<T_> read_binary(const char *name, const char *executable, size_t n)
{
    char *path = sdkFindFilePath(name, executable);
    std::vector<T_> v(n);
    FILE *f = path ? fopen(path, "rb") : NULL;
    v.resize(f ? fread(v.data(), sizeof(T_), n, f) : 0);
    if (f)
        fclose(f);
    free(path);
    return v;
}

template <class T_>
inline bool compare_binary(const char *source, const char *reference, unsigned int n, float epsilon, float threshold,
                           char *executable)
{
    std::vector<T_> a = read_binary<T_>(source, executable, n), b = read_binary<T_>(reference, executable, n);
    if (a.size() != n || b.size() != n)
        return fail("cannot compare", a.size() != n ? source : reference);
    return close(b.data(), a.data(), n, epsilon, threshold, true);
}

template <class T_> struct image {
    T_ *data;
    unsigned int w, h;
    image() : data(NULL), w(0), h(0) {}
    ~image() { free(data); }
};

inline bool compare_images(const char *source, const char *reference, float epsilon, float threshold, bool verbose,
                           unsigned int in, unsigned int out)
{
    image<unsigned char> a, b;
    if (!load(reference, &b.data, &b.w, &b.h, in, out) || !load(source, &a.data, &a.w, &a.h, in, out))
        return false;
    if (a.w != b.w || a.h != b.h)
        return fail("another size than the reference:", source);
    return close(b.data, a.data, (size_t)a.w * a.h * out, epsilon, threshold, verbose);
}
} // namespace simtx_image

/* ---- PGM, PPM ---- */

inline bool __loadPPM(const char *file, unsigned char **data, unsigned int *w, unsigned int *h, unsigned int *channels)
{
    FILE *f = fopen(file, "rb");
    if (!f)
        return simtx_image::fail("cannot open", file);
    *channels = simtx_image::head(f, w, h);
    fclose(f);
    return *channels ? simtx_image::load(file, data, w, h, *channels, *channels)
                     : simtx_image::fail("not a PGM or PPM image of 8 bits:", file);
}

inline bool __savePPM(const char *file, unsigned char *data, unsigned int w, unsigned int h, unsigned int channels)
{
    return simtx_image::save(file, data, w, h, channels, channels);
}

template <class T_> inline bool sdkLoadPGM(const char *file, T_ **data, unsigned int *w, unsigned int *h)
{
    return simtx_image::load(file, data, w, h, 1, 1);
}

template <class T_> inline bool sdkSavePGM(const char *file, T_ *data, unsigned int w, unsigned int h)
{
    return simtx_image::save(file, data, w, h, 1, 1);
}

/* Four components a pixel in memory, three in the file. */
template <class T_> inline bool sdkLoadPPM4(const char *file, T_ **data, unsigned int *w, unsigned int *h)
{
    return simtx_image::load(file, data, w, h, 3, 4);
}

inline bool sdkLoadPPM4ub(const char *file, unsigned char **data, unsigned int *w, unsigned int *h)
{
    return simtx_image::load(file, data, w, h, 3, 4);
}

inline bool sdkSavePPM4ub(const char *file, unsigned char *data, unsigned int w, unsigned int h)
{
    return simtx_image::save(file, data, w, h, 4, 3);
}

inline bool sdkSavePPMub(const char *file, unsigned char *data, unsigned int w, unsigned int h)
{
    return simtx_image::save(file, data, w, h, 3, 3);
}

/* ---- numbers in files ---- */

/* All numbers of a text file; *data is allocated if it is NULL. */
template <class T_> inline bool sdkReadFile(const char *filename, T_ **data, unsigned int *len, bool verbose)
{
    std::ifstream f(filename);
    std::vector<T_> read;
    T_ number;
    if (!f.good())
        return verbose ? simtx_image::fail("cannot open", filename) : false;
    while (f >> number)
        read.push_back(number);
    if (*data && *len != read.size())
        return simtx_image::fail("another number of elements than expected in", filename);
    if (!*data)
        *data = (T_ *)malloc(sizeof(T_) * read.size());
    *len = (unsigned int)read.size();
    std::copy(read.begin(), read.end(), *data);
    return true;
}

template <class T_, class S_>
inline bool sdkWriteFile(const char *filename, const T_ *data, unsigned int len, const S_ epsilon, bool verbose,
                         bool append = false)
{
    std::ofstream f(filename, append ? std::ios::app : std::ios::out);
    f << "# " << epsilon << "\n";
    for (unsigned int i = 0; f.good() && i < len; i++)
        f << data[i] << ' ';
    f << std::endl;
    return f.good() || !verbose ? f.good() : simtx_image::fail("cannot write", filename);
}

inline void sdkDumpBin(void *data, unsigned int bytes, const char *filename)
{
    std::ofstream f(filename, std::ios::binary);
    f.write((const char *)data, (std::streamsize)bytes);
    if (!f.good())
        simtx_image::fail("cannot write", filename);
}

/* ---- comparisons ---- */

template <class T_, class S_>
inline bool compareData(const T_ *reference, const T_ *data, const unsigned int len, const S_ epsilon,
                        const float threshold)
{
    return simtx_image::close(reference, data, len, epsilon, threshold, true);
}

template <class T_, class S_>
inline bool compareDataAsFloatThreshold(const T_ *reference, const T_ *data, const unsigned int len, const S_ epsilon,
                                        const float threshold)
{
    S_ least = std::max((S_)MIN_EPSILON_ERROR, epsilon);
    return simtx_image::close(reference, data, len, least, threshold, true);
}

/* The root of the squared error's part of the reference's energy. */
inline bool sdkCompareL2fe(const float *reference, const float *data, const unsigned int len, const float epsilon)
{
    double error = 0, energy = 0;
    for (unsigned int i = 0; i < len; i++) {
        double d = (double)reference[i] - data[i];
        error += d * d;
        energy += (double)reference[i] * reference[i];
    }
    return energy > 0 && sqrt(error / energy) < epsilon;
}

inline bool sdkCompareBin2BinUint(const char *src_file, const char *ref_file, unsigned int nelements,
                                  const float epsilon, const float threshold, char *exec_path)
{
    return simtx_image::compare_binary<unsigned int>(src_file, ref_file, nelements, epsilon, threshold, exec_path);
}

inline bool sdkCompareBin2BinFloat(const char *src_file, const char *ref_file, unsigned int nelements,
                                   const float epsilon, const float threshold, char *exec_path)
{
    return simtx_image::compare_binary<float>(src_file, ref_file, nelements, epsilon, threshold, exec_path);
}

inline bool sdkComparePPM(const char *src_file, const char *ref_file, const float epsilon, const float threshold,
                          bool verboseErrors)
{
    return simtx_image::compare_images(src_file, ref_file, epsilon, threshold, verboseErrors, 3, 4);
}

inline bool sdkComparePGM(const char *src_file, const char *ref_file, const float epsilon, const float threshold,
                          bool verboseErrors)
{
    return simtx_image::compare_images(src_file, ref_file, epsilon, threshold, verboseErrors, 1, 1);
}

#endif
