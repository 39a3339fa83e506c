/*
 * Functions whose interface is not "numbers in, number out", brought to that form under the names that
 * functions.def uses.  QUALIFIER is static or __device__, PREFIX what the library's names begin with there.
 */
#define ADAPT(PREFIX, QUALIFIER, type, s) \
    QUALIFIER type PREFIX##sincos_sin##s(type x) \
    { \
        type a, b; \
        PREFIX##sincos##s(x, &a, &b); \
        return a; \
    } \
    QUALIFIER type PREFIX##sincos_cos##s(type x) \
    { \
        type a, b; \
        PREFIX##sincos##s(x, &a, &b); \
        return b; \
    } \
    QUALIFIER type PREFIX##sincospi_sin##s(type x) \
    { \
        type a, b; \
        PREFIX##sincospi##s(x, &a, &b); \
        return a; \
    } \
    QUALIFIER type PREFIX##sincospi_cos##s(type x) \
    { \
        type a, b; \
        PREFIX##sincospi##s(x, &a, &b); \
        return b; \
    } \
    QUALIFIER type PREFIX##norm_of##s(type a, type b, type c) \
    { \
        type v[3] = {a, b, c}; \
        return PREFIX##norm##s(3, v); \
    } \
    QUALIFIER type PREFIX##rnorm_of##s(type a, type b, type c) \
    { \
        type v[3] = {a, b, c}; \
        return PREFIX##rnorm##s(3, v); \
    } \
    QUALIFIER type PREFIX##powi_of##s(int n, type x) { return PREFIX##powi##s(x, n); }
