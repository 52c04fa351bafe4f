#!/usr/bin/env python3
"""check_derivatives.py [--tier=N] [--only=NAME] FILE.mlir...

Compares the derivatives of every function of the files with differences and with each other, by value, at a random smooth
point: a tangent d, a second one e, a cotangent c.

  jvp             J d         is the central difference of f along d
  vjp             <c, J d>    is <vjp(c), d>
  jvp of jvp      H(d, e)     is the central difference of J d along e
  jvp of vjp, vjp of jvp, vjp of vjp: <c, H(d, e)> each

Functions have float results; integer and boolean arguments are not differentiated. tenferro-opt transforms, tenferro-run
runs. A failing check is printed with its numbers; the last line is "N passed, N failed".
"""
import random
import re
import subprocess
import sys

POSITIVE = (0.5, 2.0)
# Where an operation has a derivative, or is not too steep for a difference.
DOMAINS = {name: POSITIVE for name in ("log", "log2", "log10", "sqrt", "rsqrt", "cbrt", "pow", "log1p", "xlogy", "rem")}
DOMAINS |= {name: (-0.9, 0.9) for name in ("asin", "acos", "atanh")}
DOMAINS |= {"acosh": (1.5, 3.0), "tan": (-1.2, 1.2)}
ORDERED = {"clamp": ((-2.0, 2.0), (-1.0, -0.2), (0.2, 1.0))}  # one for each argument
STOPPED = {"detach"}  # without a derivative where the function has one
INDEX_LIMIT = 3  # smaller than every extent that the samples index


class Type:
    def __init__(self, text):
        self.text = re.fullmatch(r"tensor<(.*)>", text).group(1)
        *shape, self.dtype = self.text.split("x")
        self.count = 1
        for extent in shape:
            self.count *= int(extent)
        self.is_float = self.dtype in ("f32", "f64")

    def literal(self, values):
        name = "bool" if self.dtype == "i1" else self.dtype
        prefix = self.text[: len(self.text) - len(self.dtype)]
        return f"{prefix}{name}=" + ",".join(repr(value) for value in values)


def call(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[:500]}")
    return done.stdout


def transform(ir, kind, function, wrt, result):
    """The module with the derivative of a function, and which derivatives exist."""
    numbers = ",".join(str(number) for number in wrt)
    ir = call(["tenferro-opt", "-", f"--tenferro-{kind}=function={function} wrt={numbers} result={result} keep-primal=false"], ir)
    active = re.search(rf"@{result}\(.*tenferro.active = array<i1(?:: ([^>]*))?>", ir).group(1) or ""
    return ir, [flag.strip() == "true" for flag in active.split(",") if flag]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def spread(present, active, like):
    """One list per entry: the present derivatives, zeros for the absent ones."""
    present = iter(present)
    return [next(present) if flag else [0.0] * len(zeros) for flag, zeros in zip(active, like)]


class Function:
    def __init__(self, name, arguments, result, body, tier):
        self.name, self.tier = name, tier
        self.types = [Type(argument.split(": ")[1]) for argument in arguments.split(", ")]
        self.result = Type(result)
        self.ir = f"func.func @f({arguments}) -> {result} {{\n{body}\n}}"
        self.wrt = [i for i, type in enumerate(self.types) if type.is_float]
        narrow = any(type.dtype == "f32" for type in self.types + [self.result])
        self.step = 1e-2 if narrow else 1e-6
        self.difference_tolerance = 1e-2 if narrow else 1e-5
        self.tolerance = 1e-4 if narrow else 1e-11

    def run(self, ir, entry, arguments):
        text = call(["tenferro-run", "-", f"--entry={entry}", f"--tier={self.tier}"] + arguments, ir)
        return [[float(x) for x in line.split("=", 1)[1].split(",") if x] for line in text.strip().splitlines()]

    def check(self):
        """Yields (name of the check, what it got, what it should be, tolerance)."""
        rng = random.Random(self.name)

        def value(i, type):
            if type.dtype == "i1":
                return [rng.randrange(2) for _ in range(type.count)]
            if not type.is_float:
                return [rng.randrange(INDEX_LIMIT) for _ in range(type.count)]
            domain = ORDERED[self.name][i] if self.name in ORDERED else DOMAINS.get(self.name, (-2.0, 2.0))
            return [rng.uniform(*domain) for _ in range(type.count)]

        point = [value(i, type) for i, type in enumerate(self.types)]
        d, e = ([[rng.uniform(-1, 1) for _ in point[i]] for i in self.wrt] for _ in range(2))
        c = [rng.uniform(-1, 1) for _ in range(self.result.count)]
        zeros = [[0.0] * len(point[i]) for i in self.wrt]

        def at(direction=zeros, step=0.0):
            moved = list(point)
            for i, along in zip(self.wrt, direction):
                moved[i] = [x + step * dx for x, dx in zip(point[i], along)]
            return [type.literal(values) for type, values in zip(self.types, moved)]

        def tangents(directions):
            return [self.types[i].literal(values) for i, values in zip(self.wrt, directions)]

        def difference(ir, entry, direction, more=()):
            ahead, behind = (self.run(ir, entry, at(direction, s) + list(more)) for s in (self.step, -self.step))
            if not ahead:
                return [0.0] * self.result.count
            return [(a - b) / (2 * self.step) for a, b in zip(ahead[0], behind[0])]

        cotangent = [self.result.literal(c)]
        jvp, jvp_active = transform(self.ir, "jvp", "f", self.wrt, "j")
        along_d = spread(self.run(jvp, "j", at() + tangents(d)), jvp_active, [c])[0]
        yield "jvp", along_d, difference(self.ir, "f", d), self.difference_tolerance

        vjp, vjp_active = transform(self.ir, "vjp", "f", self.wrt, "v")
        gradient = spread(self.run(vjp, "v", at() + cotangent), vjp_active, zeros)
        inner = sum(dot(g, direction) for g, direction in zip(gradient, d))
        yield "vjp", [inner], [dot(c, along_d)], self.tolerance
        if not any(jvp_active):
            return

        twice, active = transform(jvp, "jvp", "j", self.wrt, "k")
        second = spread(self.run(twice, "k", at() + tangents(d) + tangents(e)), active, [c])[0]
        yield "jvp of jvp", second, difference(jvp, "j", e, tangents(d)), self.difference_tolerance
        expected = [dot(c, second)]

        mixed, active = transform(vjp, "jvp", "v", self.wrt, "k")
        d_present = [direction for direction, flag in zip(d, vjp_active) if flag]
        got = spread(self.run(mixed, "k", at() + cotangent + tangents(e)), active, d_present)
        yield "jvp of vjp", [sum(dot(g, direction) for g, direction in zip(got, d_present))], expected, self.tolerance

        mixed, active = transform(jvp, "vjp", "j", self.wrt, "k")
        got = spread(self.run(mixed, "k", at() + tangents(d) + cotangent), active, zeros)
        yield "vjp of jvp", [sum(dot(g, direction) for g, direction in zip(got, e))], expected, self.tolerance

        twice, active = transform(vjp, "vjp", "v", self.wrt, "k")
        seeds = [seed for seed, flag in zip(tangents(d), vjp_active) if flag]
        got = spread(self.run(twice, "k", at() + cotangent + seeds), active, zeros)
        yield "vjp of vjp", [sum(dot(g, direction) for g, direction in zip(got, e))], expected, self.tolerance


def main():
    tier, only, files = "1", None, []
    for argument in sys.argv[1:]:
        if argument.startswith("--tier="):
            tier = argument[len("--tier=") :]
        elif argument.startswith("--only="):
            only = argument[len("--only=") :]
        else:
            files.append(argument)
    passed = failed = 0
    for file in files:
        text = open(file).read()
        for match in re.finditer(r"func\.func @(\w+)\((.*?)\) -> (tensor<[^>]*>) \{\n(.*?)\n\}", text, re.S):
            function = Function(*match.groups(), tier)
            if not function.result.is_float or not function.wrt or function.name in STOPPED or only not in (None, function.name):
                continue
            try:
                for check, got, expected, tolerance in function.check():
                    good = len(got) == len(expected) and all(
                        abs(a - b) <= tolerance * (1 + abs(a) + abs(b)) for a, b in zip(got, expected))
                    passed += good
                    failed += not good
                    if not good:
                        print(f"{function.name}: {check}: expected {expected}, got {got}")
            except RuntimeError as error:
                failed += 1
                print(f"{function.name}: {error}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
