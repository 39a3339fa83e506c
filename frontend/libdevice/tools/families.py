"""The list of what fit.py computes: one entry per polynomial, with its interval and tolerance (a power of two).

Near a removable singularity the function is summed from its Taylor series, which mpmath finds for us.
"""
from mpmath import mp, mpf, exp, log, sin, cos, atan, asin, tanh, sqrt, pi, taylor


def smooth(f, series_at_zero):
    """f(x), or the given Taylor polynomial where f's formula would divide by something tiny."""
    return lambda x: f(x) if abs(x) > mpf(10) ** -12 else mp.polyval(series_at_zero[::-1], x)


def elementary(fit):
    fit.constant("k_ln2", log(2), 2, {"d": 11, "f": 8})
    fit.constant("k_log2e", 1 / log(2))
    fit.constant("k_ln2_full", log(2))
    fit.constant("k_log10e", 1 / log(10))
    fit.constant("k_log10_2", log(2) / log(10), 2, {"d": 11, "f": 8})
    fit.constant("k_log2_10", log(10) / log(2))
    fit.constant("k_ln10", log(10))
    fit.constant("k_pi", pi)
    fit.constant("k_pi_2", pi / 2, 3)
    fit.constant("k_2_pi", 2 / pi)
    fit.constant("k_2_3", mpf(2) / 3)
    fit.constant("k_sqrt1_2", sqrt(mpf(1) / 2))
    # exp(r) = 1 + r + r^2 c(r)
    fit.poly("c_exp", smooth(lambda r: (exp(r) - 1 - r) / r**2, [mpf(1) / mp.factorial(k + 2) for k in range(6)]),
             -0.51, 0.51, -58, -27)
    # log((1+s)/(1-s)) = 2s + 2/3 s^3 + s^5 c(s^2)
    fit.poly("c_log", smooth(lambda z: (log((1 + sqrt(z)) / (1 - sqrt(z))) - 2 * sqrt(z) - 2 * z * sqrt(z) / 3)
                             / (z**2 * sqrt(z)), [mpf(2) / (2 * k + 5) for k in range(6)]), 0, 0.03, -58, -26)
    # sin r = r + r^3 c(r^2), cos r = 1 - r^2/2 + r^4 c(r^2)
    fit.poly("c_sin", smooth(lambda t: (sin(sqrt(t)) - sqrt(t)) / (t * sqrt(t)),
                             [(-1) ** (k + 1) / mp.factorial(2 * k + 3) for k in range(6)]), 0, 0.63, -59, -29)
    fit.poly("c_cos", smooth(lambda t: (cos(sqrt(t)) - 1 + t / 2) / t**2,
                             [(-1) ** k / mp.factorial(2 * k + 4) for k in range(6)]), 0, 0.63, -59, -29)
    # atan x = x + x^3 c(x^2), the same for asin and tanh
    fit.poly("c_atan", smooth(lambda t: (atan(sqrt(t)) / sqrt(t) - 1) / t,
                              [mpf((-1) ** (k + 1)) / (2 * k + 3) for k in range(6)]), 0, 1, -57, -27)
    fit.poly("c_asin", smooth(lambda t: (asin(sqrt(t)) / sqrt(t) - 1) / t,
                              [mpf(1) / 6, mpf(3) / 40, mpf(15) / 336]), 0, 0.2501, -57, -27)
    fit.poly("c_tanh", smooth(lambda t: (tanh(sqrt(t)) / sqrt(t) - 1) / t, [-mpf(1) / 3, mpf(2) / 15, -mpf(17) / 315]),
             0, 0.31, -57, -27)
    # first guess of the cube root, relative error about 2^-9
    fit.poly("c_cbrt", lambda m: mp.cbrt(m), 1, 8, -9, -9)


def emit(fit):
    elementary(fit)
