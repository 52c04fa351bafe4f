#!/usr/bin/env python3
"""Writes the tables beside it: hard arguments of each math function with the correctly rounded result.

Usage: generate.py   (seconds; needs mpmath). The arguments are drawn with a fixed seed. A table's line is the
arguments and the result as the hexadecimal bits of the type that the last line `f32` or `f64` named.
"""
import math
import os
import random
import struct

from mpmath import mp, mpf

mp.prec = 300
INF, NAN = math.inf, math.nan
TYPES = {"f32": ("f", "I", 24, -149, 128), "f64": ("d", "Q", 53, -1074, 1024)}


def bits(value, dtype):
    return struct.unpack(TYPES[dtype][1], struct.pack(TYPES[dtype][0], value))[0]


def from_bits(pattern, dtype):
    return struct.unpack(TYPES[dtype][0], struct.pack(TYPES[dtype][1], pattern))[0]


def round_to(value, dtype):
    """The nearest number of the type, ties to even, with gradual underflow."""
    if not isinstance(value, mpf):
        return value
    _, _, digits, lowest, top = TYPES[dtype]
    sign = -1.0 if value < 0 else 1.0
    value = abs(value)
    if value == 0:
        return 0.0
    exponent = max(int(mp.floor(mp.log(value, 2))) - digits, lowest - 2)
    scale = max(exponent + 1, lowest)
    scaled = mp.ldexp(value, -scale)
    if scaled >= mpf(2) ** digits:
        scale += 1
        scaled = mp.ldexp(value, -scale)
    whole = int(mp.floor(scaled))
    rest = scaled - whole
    if rest > mpf(0.5) or (rest == mpf(0.5) and whole % 2):
        whole += 1
    if whole.bit_length() + scale > top:
        return sign * INF
    return sign * math.ldexp(whole, scale)


def neighbours(value, dtype, reach=2):
    """The number of the type nearest to value, and some on both sides."""
    value = round_to(mpf(value), dtype)
    pattern = bits(value, dtype)
    return [from_bits(pattern + d, dtype) for d in range(-reach, reach + 1) if pattern + d >= 0]


def common(dtype):
    """Arguments that are worth trying in every function."""
    _, _, digits, lowest, top = TYPES[dtype]
    points = [0.0, INF, NAN, from_bits(1, dtype), from_bits(2, dtype)]
    points += neighbours(mpf(2) ** (lowest + digits - 1), dtype) + [math.ldexp(2.0 - 2.0 ** (1 - digits), top - 1)]
    for value in (0.5, 1, 2, mp.sqrt(mpf(0.5)), mp.sqrt(2), mp.e, mp.log(2), mpf(13) / 16, 6, 4):
        points += neighbours(value, dtype)
    for k in (-digits - 2, -digits, -digits // 2, -10, -3, 10, digits, digits + 7):
        points += neighbours(mpf(2) ** k, dtype, 1)
    return points + [-p for p in points]


def spread(dtype, low, high, count):
    """Numbers of both signs, uniform in the logarithm."""
    return [random.choice((-1, 1)) * round_to(mpf(2) ** random.uniform(low, high), dtype) for _ in range(count)]


def uniform(dtype, low, high, count):
    return [round_to(mpf(random.uniform(low, high)), dtype) for _ in range(count)]


def arguments(name, dtype):
    _, _, digits, lowest, top = TYPES[dtype]
    points = common(dtype) + spread(dtype, lowest, top - 1, 20)
    largest, smallest = top * mp.log(2), (lowest - 1) * mp.log(2)
    if name in ("exp", "expm1", "sigmoid", "tanh"):
        for n in list(range(-4, 5)) + [-60, -digits - 1, -digits, -digits + 1, digits - 1, digits, digits + 1, top - 1]:
            points += neighbours((n + mpf(0.5)) * mp.log(2), dtype, 1)
        for limit in (largest, -largest, smallest, (lowest + digits - 1) * mp.log(2)):
            points += neighbours(limit, dtype)
        points += uniform(dtype, float(smallest), float(largest), 60) + uniform(dtype, float(smallest), -float(largest), 20)
        points += spread(dtype, -digits - 3, 3, 60) + uniform(dtype, 0.3, 0.45, 20) + uniform(dtype, -10, 20, 30)
    elif name == "erf":
        points += uniform(dtype, -1, 1, 60) + uniform(dtype, 0.5, 6, 60) + spread(dtype, -digits, 3, 40)
    elif name in ("sin", "cos", "tan"):
        for k in list(range(1, 17)) + [22, 1000, 12345, 2**20, 2**20 + 1, 10**9, 10**14]:  # near multiples of pi/4
            points += neighbours(k * mp.pi / 4, dtype, 1)
        points += uniform(dtype, -10, 10, 60) + spread(dtype, -digits // 2 - 3, 3, 40) + spread(dtype, 3, top - 1, 120)
        points += near_half_pi(dtype)
    elif name in ("asin", "acos", "atanh"):
        points += uniform(dtype, -1, 1, 120) + spread(dtype, -digits - 3, 0, 60)
        points += [1 - abs(p) for p in spread(dtype, 1 - digits, -2, 40)]
    elif name == "atan":
        points += uniform(dtype, -3, 3, 120) + spread(dtype, -digits - 3, digits + 3, 80)
        for eighths in (1, 3):
            points += neighbours(mp.tan(eighths * mp.pi / 8), dtype)
    elif name in ("sinh", "cosh", "asinh"):
        limit = largest + mp.log(2)
        for edge in (largest, limit):
            points += neighbours(edge, dtype) + neighbours(-edge, dtype)
        points += uniform(dtype, float(largest), float(limit), 20) + uniform(dtype, -float(largest), float(largest), 60)
        points += uniform(dtype, -3, 3, 80) + spread(dtype, -digits - 3, 3, 60) + spread(dtype, 3, top - 1, 40)
    elif name == "acosh":
        points += [1 + abs(p) for p in spread(dtype, 1 - digits, 3, 120)] + uniform(dtype, 1, 40, 40)
        points += [abs(p) for p in spread(dtype, 0, top - 1, 80)]
    elif name == "exp2":
        for k in list(range(-6, 7)) + [lowest, lowest + digits - 1, top - 1]:
            points += neighbours(mpf(k), dtype, 1) + neighbours(mpf(k) + 0.5, dtype, 1)
        points += neighbours(lowest - 1, dtype) + neighbours(top, dtype)
        points += uniform(dtype, lowest - 1, top, 80) + uniform(dtype, lowest, lowest + digits, 20)
        points += uniform(dtype, -2, 2, 60) + spread(dtype, -digits - 3, 3, 40)
    elif name in ("log2", "log10"):
        points += [float(10**k) for k in range(23)] + [math.ldexp(1.0, k) for k in range(lowest, top, 7)]
        points += [abs(p) for p in spread(dtype, lowest, top - 1, 60)]
        points += uniform(dtype, 0.6, 1.6, 60) + [1 + p for p in spread(dtype, 1 - digits, -4, 40)]
    elif name == "cbrt":
        points += [float(k**3) for k in range(1, 200)] + spread(dtype, lowest, top - 1, 120)
        points += spread(dtype, lowest, lowest + digits, 20) + uniform(dtype, 0.5, 8, 60)
    elif name == "erfc":
        end = 10 if dtype == "f32" else 27
        points += uniform(dtype, -1, 1, 60) + uniform(dtype, -6, 6, 60) + uniform(dtype, 0.8, end, 80)
        points += uniform(dtype, end - 1, end + 1, 30) + spread(dtype, -digits, 3, 40)
    elif name in ("log", "rsqrt"):
        points += [abs(p) for p in spread(dtype, lowest, top - 1, 60)]
        points += [abs(p) for p in spread(dtype, lowest, lowest + digits, 20)]
        points += uniform(dtype, 0.6, 1.6, 40) + [1 + p for p in spread(dtype, 1 - digits, -4, 40)]
    elif name == "log1p":
        points += spread(dtype, -digits - 3, 0, 60) + uniform(dtype, -1, 2, 60) + uniform(dtype, 0, 40, 20)
        points += [p - 1 for p in map(abs, spread(dtype, 1 - digits, -2, 20))]
        points += [abs(p) for p in spread(dtype, 0, top - 1, 40)]
    return [(round_to(mpf(p), dtype) if math.isfinite(p) and p else p,) for p in points]


def near_half_pi(dtype):
    """For each exponent, the argument nearest to a multiple of pi/2 among those that continued fractions find."""
    _, _, digits, _, top = TYPES[dtype]
    points = []
    for exponent in range(0, top - digits + 1) if dtype == "f32" else range(6, top - digits + 1, 7):
        # 2^e m = k pi/2 closely: m/k a convergent of pi / 2^(e+1), with an m of full length if there is one.
        m0, m1, best = 0, 1, None
        with mp.workprec(top + 400):
            rest = mp.ldexp(mp.pi, -exponent - 1)
            for _ in range(400):
                whole = int(mp.floor(rest))
                m0, m1 = m1, whole * m1 + m0
                if m1 >= 2**digits:
                    break
                best = m1
                rest = 1 / (rest - whole)
        if best and best > 1:
            points.append(math.ldexp(best, exponent))
    return points + [-p for p in points[::3]]


def pow_arguments(dtype):
    _, _, digits, lowest, top = TYPES[dtype]
    huge = math.ldexp(1.0, top - 1)
    special = [0.0, INF, NAN, 1.0, 0.5, 2.0, 3.0, 1.5, 2.5, from_bits(1, dtype), huge,
               2.0**digits - 1, 2.0**digits, 2.0 ** (digits + 1), from_bits(bits(1.0, dtype) - 1, dtype),
               from_bits(bits(1.0, dtype) + 1, dtype)]
    special += [-p for p in special]
    pairs = [(x, y) for x in special for y in special]

    def pair(x, y):
        pairs.append((round_to(mpf(x), dtype), round_to(mpf(y), dtype)))

    for _ in range(80):  # results across the whole range
        x = abs(spread(dtype, lowest, top - 1, 1)[0])
        pair(x, random.uniform(lowest, top) / (math.log2(x) or 1))
    for _ in range(40):  # close to 1 to a large power
        x = 1 + spread(dtype, 1 - digits, -3, 1)[0]
        pair(x, random.uniform(lowest, top) / (math.log2(x) or 1))
    for _ in range(40):  # results that are subnormal, or at the limits
        x = abs(spread(dtype, lowest, top - 1, 1)[0])
        pair(x, random.choice((random.uniform(lowest - 1, lowest + digits - 1), random.uniform(top - 0.01, top + 0.01)))
             / (math.log2(x) or 1))
    for _ in range(40):  # small integers, exact results and ties among them
        pair(random.randint(-40, 40), random.randint(-20, 20))
        pair(random.uniform(-4, 4), random.randint(-9, 9))
        pair(random.uniform(0, 4), random.uniform(-4, 4))
    return pairs


def atan2_arguments(dtype):
    _, _, digits, lowest, top = TYPES[dtype]
    special = [0.0, INF, NAN, 1.0, 2.0, 3.0, from_bits(1, dtype), from_bits(3, dtype),
               math.ldexp(1.0, lowest + digits - 1), math.ldexp(1.0, top - 1),
               math.ldexp(2.0 - 2.0 ** (1 - digits), top - 1)]
    special += [-p for p in special]
    pairs = [(y, x) for y in special for x in special]
    for reach in (1, 4, digits + 4):  # about the same size, and less so
        for _ in range(80):
            x = spread(dtype, lowest + digits + reach, top - reach, 1)[0]
            y = round_to(mpf(x) * random.choice((-1, 1)) * mpf(2) ** random.uniform(-reach, reach), dtype)
            pairs.append((y, x))
    pairs += zip(spread(dtype, lowest, top - 1, 60), spread(dtype, lowest, top - 1, 60))
    pairs += zip(spread(dtype, lowest, lowest + 9, 40), spread(dtype, lowest, lowest + digits, 40))
    pairs += zip(spread(dtype, top - 2, top - 0.01, 20), spread(dtype, top - 2, top - 0.01, 20))
    return pairs


def exp(x):
    if abs(x) > 20000:
        return 0.0 if x < 0 else INF
    return mp.exp(x)


def function(name, x, y=None):
    """The value with unlimited precision (an mpf) or a float that needs no rounding, by C99 Annex F."""
    if name == "pow":
        return power(x, y)
    if name == "atan2":
        return angle(x, y)
    if math.isnan(x):
        return NAN
    if x == 0:
        return {"exp": 1.0, "sigmoid": 0.5, "log": -INF, "rsqrt": math.copysign(INF, x), "cos": 1.0,
                "acos": mp.pi / 2, "cosh": 1.0, "acosh": NAN, "exp2": 1.0, "log2": -INF, "log10": -INF, "erfc": 1.0}.get(name, x)
    if math.isinf(x) and name in ("sin", "cos", "tan", "asin", "acos", "atanh"):
        return NAN
    if math.isinf(x) and name in ("sinh", "asinh", "cbrt"):
        return x
    if math.isinf(x):
        up = {"tanh": 1.0, "erf": 1.0, "sigmoid": 1.0, "rsqrt": 0.0, "atan": mp.pi / 2,
              "erfc": 0.0}.get(name, INF)
        down = {"exp": 0.0, "expm1": -1.0, "tanh": -1.0, "erf": -1.0, "sigmoid": 0.0, "atan": -mp.pi / 2,
                "cosh": INF, "exp2": 0.0, "erfc": 2.0}.get(name, NAN)
        return up if x > 0 else down
    v = mpf(x)
    if name == "exp":
        return exp(v)
    if name == "expm1":
        return -mpf(1) + exp(v) if x < -1000 else (INF if x > 20000 else mp.expm1(v))
    if name == "log":
        return NAN if x < 0 else (0.0 if x == 1 else mp.log(v))
    if name == "log1p":
        return NAN if x < -1 else (-INF if x == -1 else mp.log1p(v))
    if name == "tanh":
        return mp.sign(v) * (1 - mpf(2) ** -200) if abs(x) > 1000 else mp.tanh(v)
    if name == "erf":
        return mp.sign(v) * (1 - mpf(2) ** -200) if abs(x) > 30 else mp.erf(v)
    if name == "rsqrt":
        return NAN if x < 0 else 1 / mp.sqrt(v)
    if name == "sigmoid":
        if abs(x) > 20000:
            return 0.0 if x < 0 else 1.0
        return 1 / (1 + mp.exp(-v))
    if name in ("sin", "cos", "tan"):
        with mp.workprec(1500):
            return getattr(mp, name)(v)
    if name in ("asin", "acos", "atanh"):
        if abs(x) >= 1 and name == "atanh":
            return NAN if abs(x) > 1 else math.copysign(INF, x)
        return NAN if abs(x) > 1 else (0.0 if name == "acos" and x == 1 else getattr(mp, name)(v))
    if name in ("sinh", "cosh"):
        if abs(x) > 20000:
            return math.copysign(INF, x) if name == "sinh" else INF
        with mp.workprec(2500):
            return getattr(mp, name)(v)
    if name in ("atan", "asinh"):
        with mp.workprec(2500):
            return getattr(mp, name)(v)
    if name == "acosh":
        with mp.workprec(2500):
            return NAN if x < 1 else (0.0 if x == 1 else mp.acosh(v))
    if name == "exp2":
        return exp(v * mp.log(2))
    if name in ("log2", "log10"):
        return NAN if x < 0 else (0.0 if x == 1 else mp.log(v, int(name[3:])))
    if name == "cbrt":
        return mp.cbrt(abs(v)) * mp.sign(v)
    if name == "erfc":
        return (0.0 if x > 0 else 2.0) if abs(x) > 200 else mp.erfc(v)
    raise ValueError(name)


def angle(y, x):
    """The angle of the point (x, y) by C99 F.9.1.4."""
    if math.isnan(x) or math.isnan(y):
        return NAN
    left = math.copysign(1, x) < 0
    if math.isinf(x) and math.isinf(y):
        magnitude = mp.pi * (3 if left else 1) / 4
    elif y == 0 or math.isinf(x):
        magnitude = mp.pi if left else mpf(0)
    elif x == 0 or math.isinf(y):
        magnitude = mp.pi / 2
    else:
        with mp.workprec(2500):
            magnitude = mp.atan2(abs(mpf(y)), mpf(x))
    if magnitude == 0:
        return math.copysign(0.0, y)
    return magnitude if math.copysign(1, y) > 0 else -magnitude


def power(x, y):
    if y == 0 or x == 1:
        return 1.0
    if math.isnan(x) or math.isnan(y):
        return NAN
    whole = math.isinf(y) or y == math.floor(y)
    odd = math.isfinite(y) and whole and math.fmod(y, 2) != 0
    sign = -1.0 if odd and math.copysign(1, x) < 0 else 1.0
    if x < 0 and math.isfinite(x) and not whole:
        return NAN
    if x == 0 or math.isinf(x):
        return sign * (INF if (x == 0) == (y < 0) else 0.0)
    if math.isinf(y):
        return 1.0 if abs(x) == 1 else (INF if (abs(x) > 1) == (y > 0) else 0.0)
    if abs(x) == 1:
        return sign
    exponent = mpf(y) * mp.log(abs(mpf(x)), 2)
    if abs(exponent) > 5000:
        return sign * (INF if exponent > 0 else 0.0)
    magnitude = abs(mpf(x)) ** int(y) if whole and abs(y) < 64 else mp.power(2, exponent)
    return magnitude if sign > 0 else -magnitude


PAIRS = {"pow": pow_arguments, "atan2": atan2_arguments}


def write(name):
    random.seed(name)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".txt")
    with open(path, "w") as out:
        out.write(f"# {name}: arguments and the correctly rounded result, written by generate.py\n")
        for dtype in ("f32", "f64"):
            out.write(dtype + "\n")
            digits = 8 if dtype == "f32" else 16
            seen = set()
            for args in PAIRS[name](dtype) if name in PAIRS else arguments(name, dtype):
                key = tuple(bits(a, dtype) for a in args)
                if key in seen:
                    continue
                seen.add(key)
                result = round_to(function(name, *args), dtype)
                out.write(" ".join(f"{b:0{digits}x}" for b in key + (bits(result, dtype),)) + "\n")


for each in ("exp", "expm1", "log", "log1p", "tanh", "erf", "rsqrt", "sigmoid", "sin", "cos", "tan", "asin", "acos",
             "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "exp2", "log2", "log10", "cbrt", "erfc", "pow", "atan2"):
    write(each)
