"""The list of what fit.py computes: one entry per polynomial, with its interval and tolerance (a power of two).

Near a removable singularity the function is summed from its Taylor series, which mpmath finds for us.
"""
from mpmath import (mp, mpf, exp, log, sin, cos, atan, asin, tanh, sqrt, pi, erf, erfc, gamma, loggamma, besselj,
                    bessely, besseli, euler)


def smooth(f, series_at_zero):
    """f(x), or the given Taylor polynomial where f's formula would divide by nearly zero."""
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
    # log(1 + f) = f + f^2 c(f), for the float logarithms
    fit.poly("c_log1", smooth(lambda f: (log(1 + f) - f) / f**2, [-mpf(1) / 2, mpf(1) / 3]), -0.2929, 0.4143, -57, -27,
             kinds="f")
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
    # initial approximation of the cube root, relative error about 2^-9
    fit.poly("c_cbrt", lambda m: mp.cbrt(m), 1, 8, -9, -9)


def error_functions(fit):
    fit.constant("k_sqrt2", sqrt(2))
    # erf x = x + x c(x^2)
    fit.poly("c_erf", smooth(lambda t: erf(sqrt(t)) / sqrt(t) - 1, [2 / sqrt(pi) - 1]), 0, 1, -57, -28)

    # (1 + 2x) erfcx(x) - 1 with u = (x - 4) / (x + 4), which maps [0, inf) to [-1, 1) (Shepherd and Laframboise)
    def scaled(u):
        x = 4 * (1 + u) / (1 - u)
        return (1 + 2 * x) * (exp(x * x) * erfc(x) if x < 10**6 else (1 - 1 / (2 * x * x)) / (x * sqrt(pi))) - 1
    fit.poly("c_erfcx", scaled, -1, 1, -56, -27)

    # erfinv(x) / x as a function of w = -log(1 - x^2), in the tails of sqrt(w)
    def ratio(w):
        if w < mpf(10) ** -20:
            return sqrt(pi) / 2
        x = sqrt(-mp.expm1(-w))
        q = exp(-w) / (1 + x)
        y = mp.sqrt(w) if w > 2 else x * mpf("0.9")
        for _ in range(60):             # Newton on log erfc
            e = erfc(y)
            step = log(e / q) * e * sqrt(pi) * exp(y * y) / 2
            y += step
            if abs(step) < abs(y) * mpf(10) ** -60:
                break
        return y / x
    # powers of w - 3.125, or of sqrt(w) minus the middle of the interval
    fit.poly("c_erfinv_0", lambda t: ratio(t + mpf("3.125")), -3.125, 3.125, -56, -27)
    for i, (a, b) in enumerate([(2.5, 4.5), (4.5, 10.5), (10.5, 28)]):
        middle, half = mpf(a + b) / 2, mpf(b - a) / 2
        fit.poly(f"c_erfinv_{i + 1}", lambda s: ratio((s + middle) ** 2), -half, half, -54, -25)


def gamma_functions(fit):
    fit.constant("k_log_sqrt_2pi", log(2 * pi) / 2)
    # gamma(2 + y); lgamma(1 + y) / y; lgamma(2 + y) / y
    fit.poly("c_gamma", lambda y: gamma(2 + y), 0, 1, -56, -27)
    fit.poly("c_lgamma_1", smooth(lambda y: loggamma(1 + y) / y, [-euler, mp.zeta(2) / 2]), -0.5, 0.5, -56, -27)
    fit.poly("c_lgamma_2", smooth(lambda y: loggamma(2 + y) / y, [1 - euler, (mp.zeta(2) - 1) / 2]), -0.5, 0.5, -56,
             -27)

    # lgamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + w c(w^2), w = 1/x
    def stirling(z):
        x = 1 / sqrt(z)
        if x > 200:
            return mpf(1) / 12 - z / 360 + z**2 / 1260 - z**3 / 1680 + z**4 / 1188 - z**5 * 691 / 360360 + z**6 / 156
        return (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2) * x
    fit.poly("c_stirling", stirling, 0, mpf(1) / 64, -54, -25, kinds="d")
    fit.poly("c_stirling", stirling, 0, mpf(1) / 16, -54, -25, kinds="f")


def table(fit, name, f, rows):
    """Rows (low, high, zero): f(x) / (x - zero) as powers of x - centre; the zero in two parts, then the powers."""
    for kind, bits in fit.FORMATS.items():
        tol = mpf(2) ** (-55 if kind == "d" else -27)
        fits = []
        for low, high, zero in rows:
            mid = (mpf(low) + mpf(high)) / 2
            mid = fit.round_to(mid, 12)
            g = smooth_at(lambda t: f(t + mid) / (t + mid - zero), zero - mid, f, zero)
            c = fit.fit(g, low - mid, high - mid, tol, bits)
            head = fit.round_to(zero, bits)
            fits.append([head, fit.round_to(zero - head, bits), mid] + c)
        width = max(len(r) for r in fits)
        ctype = "double" if kind == "d" else "float"
        print(f"/* {name}: {[(float(a), float(b)) for a, b, _ in rows]}, degree {width - 4} */")
        print(f"COEF DEV_CONST {ctype} {name}_{kind}[{len(rows)}][{width}] = {{")
        for r in fits:
            print("    {" + ",\n     ".join(fit.literal(v, kind) for v in r + [mpf(0)] * (width - len(r))) + "},")
        print("};")


def smooth_at(g, at, f, zero):
    return lambda t: g(t) if abs(t - at) > mpf(10) ** -25 else mp.diff(f, zero)


def bessel_functions(fit):
    fit.constant("k_sqrt_2_pi", sqrt(2 / pi))
    j = [lambda x: besselj(0, x), lambda x: besselj(1, x)]
    y = [lambda x: bessely(0, x), lambda x: bessely(1, x)]
    jz = lambda n, k: mp.besseljzero(n, k)
    yz = lambda n, k: mp.besselyzero(n, k)
    # near zero: j0 = 1 + t c(t), j1 = x c(t), t = x^2; y0 and y1 without their logarithm and pole
    fit.poly("c_j0", smooth(lambda t: (j[0](sqrt(t)) - 1) / t, [-mpf(1) / 4, mpf(1) / 64]), 0, 1.5, -57, -28)
    fit.poly("c_j1", smooth(lambda t: j[1](sqrt(t)) / sqrt(t), [mpf(1) / 2, -mpf(1) / 16]), 0, 4, -57, -28)
    fit.poly("c_y0", smooth(lambda t: y[0](sqrt(t)) - log(t) / pi * j[0](sqrt(t)), [2 / pi * (euler - log(2))]),
             0, 0.25, -57, -28)
    fit.poly("c_y1", smooth(lambda t: (y[1](sqrt(t)) - log(t) / pi * j[1](sqrt(t)) + 2 / (pi * sqrt(t))) / sqrt(t),
                            [(2 * euler - 1 - 2 * log(2)) / (2 * pi)]), 0, 0.5, -57, -28)
    table(fit, "t_j0", j[0], [(1.2, 4, jz(0, 1)), (4, 7.1, jz(0, 2)), (7.1, 8, jz(0, 3))])
    table(fit, "t_j1", j[1], [(1.9, 5.4, jz(1, 1)), (5.4, 8, jz(1, 2))])
    table(fit, "t_y0", y[0], [(0.5, 1.1, yz(0, 1)), (1.1, 2.4, yz(0, 1)), (2.4, 5.5, yz(0, 2)), (5.5, 8, yz(0, 3))])
    table(fit, "t_y1", y[1], [(0.7, 1.5, yz(1, 1)), (1.5, 3.8, yz(1, 1)), (3.8, 7, yz(1, 2)), (7, 8, yz(1, 3))])
    # modulus and phase parts beyond 8 in z = 1/x^2: J = sqrt(2/(pi x)) (P cos X - Q sin X), Q = q / x
    for n in (0, 1):
        def part(z, q, n=n):
            x = 1 / sqrt(z)
            chi = x - (2 * n + 1) * pi / 4
            a = sqrt(pi * x / 2)
            jv, yv = besselj(n, x), bessely(n, x)
            return a * (yv * cos(chi) - jv * sin(chi)) * x if q else a * (jv * cos(chi) + yv * sin(chi))
        fit.poly(f"c_p{n}", lambda z: part(z, 0), mpf(10) ** -9, mpf(1) / 64, -52, -26)
        fit.poly(f"c_q{n}", lambda z: part(z, 1), mpf(10) ** -9, mpf(1) / 64, -49, -24)
    # I0 and I1 / x in x^2 up to 8, beyond it exp(-x) sqrt(x) I in 1/x
    i0 = lambda x: besseli(0, x)
    i1 = lambda x: besseli(1, x)
    fit.poly("c_i0", lambda t: i0(sqrt(t)), 0, 64, -55, -26)
    fit.poly("c_i1", smooth(lambda t: i1(sqrt(t)) / sqrt(t), [mpf(1) / 2]), 0, 64, -56, -27)
    fit.poly("c_i0_far", lambda v: exp(-1 / v) * i0(1 / v) / sqrt(v), mpf(10) ** -9, mpf(1) / 8, -55, -27)
    fit.poly("c_i1_far", lambda v: exp(-1 / v) * i1(1 / v) / sqrt(v), mpf(10) ** -9, mpf(1) / 8, -55, -27)


def emit(fit):
    elementary(fit)
    error_functions(fit)
    gamma_functions(fit)
    bessel_functions(fit)
