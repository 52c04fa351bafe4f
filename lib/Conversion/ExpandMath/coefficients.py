#!/usr/bin/env python3
"""Fits the polynomials of Coefficients.h: weighted minimax by the Remez exchange, in 80 digits.

Usage: coefficients.py > Coefficients.h   (about a minute; needs mpmath)
"""
import struct
import sys

from mpmath import mp, mpf

mp.dps = 80


def remez(f, weight, a, b, degree, rounds=12):
    """Minimises max |weight(x) (p(x) - f(x))| over [a, b]; returns coefficients, lowest first, and the error."""
    n = degree + 2
    nodes = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * i / (n - 1)) for i in range(n)]
    grid = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * i / (24 * n)) for i in range(24 * n + 1)]
    floor = max(weight(x) for x in grid) / 8  # a weight that vanishes would leave its neighbourhood free
    w = lambda x: max(weight(x), floor)
    ftab = [(f(x), w(x), weight(x)) for x in grid]
    for _ in range(rounds):
        rows = mp.matrix(n, n)
        rhs = mp.matrix(n, 1)
        for i, x in enumerate(nodes):
            for j in range(n - 1):
                rows[i, j] = x**j
            rows[i, n - 1] = (-1) ** i / w(x)
            rhs[i] = f(x)
        solution = mp.lu_solve(rows, rhs)
        coefs = [solution[j] for j in range(n - 1)]
        errors = [wx * (mp.polyval(coefs[::-1], x) - fx) for x, (fx, wx, _) in zip(grid, ftab)]
        # One extremum per run of equal sign; keep the n largest neighbours.
        peaks = []
        for x, e in zip(grid, errors):
            if peaks and (e >= 0) == (peaks[-1][1] >= 0):
                if abs(e) > abs(peaks[-1][1]):
                    peaks[-1] = (x, e)
            else:
                peaks.append((x, e))
        while len(peaks) > n:
            peaks.pop(0 if abs(peaks[0][1]) < abs(peaks[-1][1]) else -1)
        worst = max(abs(e) for e in errors)
        if len(peaks) < n or worst < abs(solution[n - 1]) * mpf("1.01"):
            break
        nodes = [x for x, _ in peaks]
    return coefs, max(abs(e / wx * true) for e, (_, wx, true) in zip(errors, ftab))


def narrow(value, single):
    return struct.unpack("f", struct.pack("f", float(value)))[0] if single else float(value)


def emit(name, what, coefs, error, single=False):
    emitList(name, f"{what} Error 2^{float(mp.log(error, 2)):.1f}.", coefs, single)


def shifted(coefs, shifts):
    """f32 coefficients, those named moved by so many units in the last place: found by trying, against all arguments."""
    moved = [mpf(narrow(c, True)) for c in coefs]
    for i, units in shifts.items():
        bits = struct.unpack("I", struct.pack("f", float(moved[i])))[0] + units
        moved[i] = mpf(struct.unpack("f", struct.pack("I", bits))[0])
    return moved


def emitList(name, what, coefs, single=False):
    print(f"/// {what}")
    print(f"inline constexpr double {name}[] = {{")
    line = "   "
    for c in coefs:
        text = f" {narrow(c, single).hex()},"
        if len(line) + len(text) > 118:
            print(line)
            line = "   "
        line += text
    print(line)
    print("};\n")
    sys.stdout.flush()


def fit(name, what, f, weight, a, b, degree, single=False):
    coefs, error = remez(f, weight, mpf(a), mpf(b), degree)
    emit(name, what, coefs, error, single)
    return coefs


def low(name, value):
    rest = narrow(value - mpf(narrow(value, False)), False)
    print(f"/// What rounding took from the first of these.\ninline constexpr double {name} = {rest.hex()};\n")


def series(f, limit):
    """f where |x| is large enough to cancel safely, the value at `limit` below."""
    return lambda x: f(x if abs(x) > limit else limit)


tiny = mpf("1e-17")
halfln2 = mp.log(2) / 2 * mpf("1.0005")
# exp(r) = 1 + r + r^2/2 + r^3 q(r); the weight makes it the relative error of expm1(r).
q = series(lambda r: (mp.expm1(r) - r - r**2 / 2) / r**3, tiny)
wq = series(lambda r: abs(r**3 / mp.expm1(r)), tiny)
smax = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mpf("1.0005")


def atanhTail(k):
    """2 atanh(s) less the first k terms of its series, over s^(2k+1), as a function of z = s^2."""
    return lambda z: sum(2 * z**j / (2 * (k + j) + 1) for j in range(45))


def logTail(f):
    return (mp.log1p(f) - f + f**2 / 2) / f**3


def erfRatio(z):
    x = mp.sqrt(z)
    return mp.erf(x) / x - 1


def negLogErfc(x):
    return -mp.log(mp.erfc(x))


print("""// Polynomial coefficients of the math expansions, lowest degree first. Written by coefficients.py, which says what each
// one approximates; do not edit.
#ifndef TENFERRO_CONVERSION_EXPANDMATH_COEFFICIENTS_H
#define TENFERRO_CONVERSION_EXPANDMATH_COEFFICIENTS_H

namespace tenferro::compiler::coefficients {
""")
fit("kExpF64", "(e^r - 1 - r - r^2/2) / r^3 for |r| <= ln(2)/2, relative to e^r - 1.", q, wq, -halfln2, halfln2, 9)
fit("kExpF32", "The same for f32.", q, wq, -halfln2, halfln2, 4, True)
fit("kExpMid", "The same for f32 results computed in f64.", q, wq, -halfln2, halfln2, 5)
fit("kLogF64", "(2 atanh(s) - 2s) / s^3 in s^2, relative to 2 atanh(s).", atanhTail(1), lambda z: z / 2, 0, smax**2, 6)
fit("kLogMid", "The same for f32 results computed in f64.", atanhTail(1), lambda z: z / 2, 0, smax**2, 4)
fit("kLogDouble", "(2 atanh(s) - 2s - 2/3 s^3) / s^5 in s^2, relative to 2 atanh(s).", atanhTail(2),
    lambda z: z**2 / 2, 0, smax**2, 7)
fit("kLogDoubleF32", "The same for f32.", atanhTail(2), lambda z: z**2 / 2, 0, smax**2, 3, True)
expTail = series(lambda r: (mp.expm1(r) - r) / r**2, tiny)
expTailWeight = series(lambda r: r**2 / mp.exp(r), tiny)
fit("kPowExpF64", "(e^r - 1 - r) / r^2 for |r| <= ln(2)/2, relative to e^r.", expTail, expTailWeight, -halfln2, halfln2, 9)
fit("kPowExpF32", "The same for f32 and |r| <= 0.364.", expTail, expTailWeight, -mpf("0.364"), mpf("0.364"), 4, True)
fit("kLogF32", "(log(1+f) - f + f^2/2) / f^3 for sqrt(1/2) <= 1+f <= sqrt(2), relative to log(1+f).",
    series(logTail, mpf("1e-15")), series(lambda f: abs(f**3 / mp.log1p(f)), mpf("1e-15")),
    mp.sqrt(mpf(1) / 2) - 1 - mpf("1e-4"), mp.sqrt(2) - 1 + mpf("1e-4"), 8, True)
fit("kErfF64", "erf(x)/x - 1 in x^2 for |x| <= 13/16, relative to erf(x)/x.", series(erfRatio, mpf("1e-30")),
    series(lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)), mpf("1e-30")), 0, mpf("0.6602"), 10)
fit("kErfF32", "The same for f32 and |x| <= 0.8155.", series(erfRatio, mpf("1e-30")),
    series(lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)), mpf("1e-30")), 0, mpf("0.665"), 5, True)
tail = fit("kErfTailF64", "-log(erfc(13/16+t)) for 0 <= t <= 83/16, weighted with erfc.", lambda t: negLogErfc(mpf(13) / 16 + t),
    lambda t: mp.erfc(mpf(13) / 16 + t) + mpf(2)**-57, 0, mpf("5.1875"), 24)
low("kErfTailLowF64", tail[0])
erfSplit = mpf(narrow(mp.erfinv(mpf(3) / 4), True))
fit("kErfTailF32", "log2(4 erfc(s+t)) for 0 <= t <= 4-s with s = 0x1.a07890p-1, weighted with erfc, for f32.",
    lambda t: mp.log(4 * mp.erfc(erfSplit + t), 2), lambda t: mp.erfc(erfSplit + t) + mpf(2)**-30, -mpf("0.01"),
    4 - erfSplit, 8, True)
fit("kErfExpF32", "2^r for |r| <= 1/2, relative, for f32.", lambda r: mp.power(2, r), lambda r: mp.power(2, -r),
    -mpf("0.5005"), mpf("0.5005"), 6, True)
pio4 = mp.pi / 4 * mpf("1.0005")
small = mpf("1e-30")
sinRatio = series(lambda z: (mp.sin(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z)**3, small)
cosRatio = series(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, small)
sinWeight = series(lambda z: mp.sqrt(z)**3 / mp.sin(mp.sqrt(z)), small)
fit("kSinF64", "(sin(r) - r) / r^3 in r^2 for |r| <= pi/4, relative to sin(r).", sinRatio, sinWeight, 0, pio4**2, 5)
pio4Single = mp.pi / 4 + mpf("0.016")
fit("kSinF32", "The same for f32 and |r| <= pi/4 + 0.016.", sinRatio, sinWeight, 0, pio4Single**2, 3, True)
fit("kSinMid", "The same for f32 results computed in f64.", sinRatio, sinWeight, 0, pio4**2, 3)
fit("kCosF64", "(cos(r) - 1 + r^2/2) / r^4 in r^2.", cosRatio, lambda z: z**2, 0, pio4**2, 5)
fit("kCosF32", "The same for f32 and |r| <= pi/4 + 0.016.", cosRatio, lambda z: z**2, 0, pio4Single**2, 2, True)
fit("kCosMid", "The same for f32 results computed in f64.", cosRatio, lambda z: z**2, 0, pio4**2, 3)
tanhLimit = mpf("1.02")


def tanhDivisor(z):
    x = mp.sqrt(z)
    return x * z / (x - mp.tanh(x))


coefs, error = remez(series(tanhDivisor, mpf("1e-20")),
    series(lambda z: (mp.sqrt(z) / mp.tanh(mp.sqrt(z)) - 1) / tanhDivisor(z), mpf("1e-20")), mpf("1e-6"), tanhLimit**2, 3)
emit("kTanhF32", "x^3 / (x - tanh(x)) in x^2 for |x| <= 1.02, relative to tanh(x), for f32; moved by trying.",
     shifted(coefs, {1: 1}), error, True)


def expWeight(r):
    """What an error of p in 2^n (1 + r p) makes of 1 - 2 / (2^n (1 + r p) + 1) for the smallest n that meets r."""
    return abs(r) * mp.power(2, -r) * 2 / (mp.power(2, (4 if r < mpf("-0.07") else 3) + r) + 1)


coefs, error = remez(series(lambda r: mp.expm1(r * mp.log(2)) / r, tiny), expWeight, -mpf("0.5005"), mpf("0.5005"), 5)
emit("kTanhExpF32", "(2^r - 1) / r for |r| <= 1/2, weighted as tanh's large arguments need it, for f32; moved by trying.",
     shifted(coefs, {0: -1}), error, True)


def tanhRatio(z):
    y = mp.sqrt(z)
    return (y * mp.coth(y) - 1) / z


fit("kTanhF64", "(y / tanh(y) - 1) / y^2 in y^2 for |y| <= ln(2)/4, relative to y / tanh(y).", series(tanhRatio, mpf("1e-20")),
    lambda z: z, 0, (mp.log(2) / 4 * mpf("1.001"))**2, 4)
mp.dps = 500
whole = int(mp.floor(mp.ldexp(2 / mp.pi, 53 * 23)))
mp.dps = 80
emitList("kTwoOverPi", "2/pi in pieces of 53 bits, each times a power of two that makes it a fraction of 1.",
         [mp.ldexp(whole >> 53 * (22 - i) & (1 << 53) - 1, -53) for i in range(23)])
tan8 = mp.tan(mp.pi / 8) * mpf("1.0005")
atanRatio = series(lambda z: (mp.atan(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z)**3, small)
atanWeight = series(lambda z: mp.sqrt(z)**3 / mp.atan(mp.sqrt(z)), small)
fit("kAtanF64", "(atan(t) - t) / t^3 in t^2 for |t| <= tan(pi/8), relative to atan(t).", atanRatio, atanWeight, 0,
    tan8**2, 10)
asinRatio = series(lambda z: (mp.asin(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z)**3, small)
asinWeight = series(lambda z: mp.sqrt(z)**3 / mp.asin(mp.sqrt(z)), small)
fit("kAsinF64", "(asin(x) - x) / x^3 in x^2 for |x| <= 1/2, relative to asin(x).", asinRatio, asinWeight, 0,
    mpf("0.2501"), 12)
fit("kCbrt", "cbrt(1+f) for sqrt(1/2) <= 1+f <= sqrt(2), relative.", lambda f: mp.cbrt(1 + f),
    lambda f: 1 / mp.cbrt(1 + f), mp.sqrt(mpf(1) / 2) - 1 - mpf("1e-4"), mp.sqrt(2) - 1 + mpf("1e-4"), 10)


def scaledErfc(t):
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


scaled = fit("kErfcF64", "(1 + 2x) e^(x^2) erfc(x) in (x-4) / (x+4) for 11/16 <= x <= 28, relative.", scaledErfc,
    lambda t: 1 / scaledErfc(t), mpf(-53) / 75, mpf(3) / 4, 20)
low("kErfcLowF64", scaled[0])


def shiftedErfc(t):
    x = 3 * (1 + t) / (1 - t)
    return (x + 3) * mp.exp(x * x) * mp.erfc(x)


fit("kErfcMid", "(x + 3) e^(x^2) erfc(x) in (x-3) / (x+3) for 0 <= x <= 10.1, relative, for f32 results computed in f64.",
    shiftedErfc, lambda t: 1 / shiftedErfc(t), mpf(-1), mpf("7.1") / mpf("13.1"), 11)
fit("kExp2Mid", "2^r for |r| <= 1/2, relative, for f32 results computed in f64.", lambda r: mp.power(2, r),
    lambda r: mp.power(2, -r), -mpf("0.5005"), mpf("0.5005"), 7)
print("""} // namespace tenferro::compiler::coefficients

#endif // TENFERRO_CONVERSION_EXPANDMATH_COEFFICIENTS_H""")
