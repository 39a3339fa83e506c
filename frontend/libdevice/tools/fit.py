#!/usr/bin/env python3
"""Computes every polynomial and multi-part constant of the device math library, and prints coef.h.

A polynomial comes from the function itself, evaluated with mpmath at 70 digits: sample at Chebyshev nodes, take
the Chebyshev series, cut it where the remainder falls below the tolerance (a cut Chebyshev series is within a
small factor of the best polynomial), convert to powers and round each coefficient to the format.  The error that
is left after the rounding is measured again and printed beside the array.

    python3 tools/fit.py > coef.h          (needs python3-mpmath; not part of the build)
"""
import math
import struct
import sys
from mpmath import mp, mpf, cos, pi

mp.dps = 70
FORMATS = {"d": 53, "f": 24}


def round_to(x, bits):
    """Nearest number with that many significant bits (exponent range unbounded; ours all fit)."""
    if x == 0:
        return mpf(0)
    man, exp = mp.frexp(x)
    return mp.ldexp(mp.nint(mp.ldexp(man, bits)), exp - bits)


def literal(x, kind):
    if kind == "d":
        return float(x).hex()
    return struct.unpack("f", struct.pack("f", float(x)))[0].hex() + "f"


def chebyshev_series(f, a, b, n):
    nodes = [cos(pi * (k + mpf(1) / 2) / n) for k in range(n)]
    values = [f((b + a) / 2 + (b - a) / 2 * t) for t in nodes]
    series = []
    for j in range(n):
        s = sum(v * cos(pi * j * (k + mpf(1) / 2) / n) for k, v in enumerate(values))
        series.append(2 * s / n if j else s / n)
    return series


def to_powers(series, a, b):
    """Powers of the variable itself, from a Chebyshev series in t = (2x - a - b) / (b - a)."""
    def shift(p, scale, off):           # p(t) * t as polynomial in x, t = scale * x + off
        r = [mpf(0)] * (len(p) + 1)
        for i, c in enumerate(p):
            r[i] += c * off
            r[i + 1] += c * scale
        return r
    scale, off = 2 / (b - a), -(a + b) / (b - a)
    t0, t1 = [mpf(1)], [off, scale]
    total = [mpf(0)] * len(series)
    for j, c in enumerate(series):
        t = t0
        for i, v in enumerate(t):
            total[i] += c * v
        nxt = [2 * v for v in shift(t1, scale, off)]
        for i, v in enumerate(t0):
            nxt[i] -= v
        t0, t1 = t1, nxt
    return total


def horner(c, x):
    r = mpf(0)
    for v in reversed(c):
        r = r * x + v
    return r


def fit(f, a, b, tol, bits, samples=56):
    """Coefficients with `bits` bits for f on [a, b]; the cut part of the series stays below tol."""
    a, b = mpf(a), mpf(b)
    series = chebyshev_series(f, a, b, samples)
    keep = len(series)
    while keep > 1 and sum(abs(c) for c in series[keep - 1:]) < tol:
        keep -= 1
    return [round_to(c, bits) for c in to_powers(series[:keep], a, b)]


def poly(name, f, a, b, tol_d, tol_f, kinds="df", samples=56):
    for kind in kinds:
        tol = mpf(2) ** (tol_d if kind == "d" else tol_f)
        c = fit(f, a, b, tol, FORMATS[kind], samples)
        grid = [mpf(a) + (mpf(b) - mpf(a)) * (2 * k + 1) / 102 for k in range(51)]
        err = max(abs(horner(c, x) - f(x)) for x in grid)
        ctype = "double" if kind == "d" else "float"
        print(f"/* {name} on [{float(a):.6g}, {float(b):.6g}], degree {len(c) - 1}, "
              f"error 2^{math.log2(float(err) + 1e-300):.1f} */")
        print(f"COEF {ctype} {name}_{kind}[] = {{")
        for v in c:
            print(f"    {literal(v, kind)},")
        print("};")
        sys.stdout.flush()


def constant(name, value, parts=2, first_bits=None):
    """A number as an unevaluated sum of `parts` numbers of each format; first_bits shortens the leading ones."""
    for kind, bits in FORMATS.items():
        rest, out = mpf(value), []
        for i in range(parts):
            cut = bits - first_bits[kind] if first_bits and i < parts - 1 else bits
            head = round_to(rest, cut)
            out.append(literal(head, kind))
            rest -= head
        ctype = "double" if kind == "d" else "float"
        print(f"COEF {ctype} {name}_{kind}[] = {{{', '.join(out)}}};")


def main():
    import families
    print("/*\n * Coefficients and multi-part constants, written by tools/fit.py (the method is told there).\n"
          " * Names end in _d (double) or _f (float); arrays begin with the constant term.\n */")
    print("#ifndef SIMTX_LIBDEVICE_COEF_H\n#define SIMTX_LIBDEVICE_COEF_H\n")
    families.emit(sys.modules[__name__])
    print("\n#endif")


if __name__ == "__main__":
    sys.path.insert(0, __file__.rsplit("/", 1)[0])
    main()
