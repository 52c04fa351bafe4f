#!/usr/bin/env python3
"""completeness.py RECORDS.json TEST_DIRECTORY SAMPLES.mlir

Asks every operation of the dialect, as its TableGen record (RECORDS.json) lists it, for what an operation must bring: a
summary, an example that parses, comes out of the compiler's CPU pipeline without a fault and can be launched on both tiers,
a derivative rule or the word that it has none, a test of its own, and a sample whose derivatives are compared by value.
Prints what is missing; the last line is "N operations, N missing".
"""
import json
import os
import re
import subprocess
import sys

LOWERED = {"fused", "yield", "kernel", "raise_if"}  # parts of lowered programs: nothing differentiates or lowers them
TESTED_WITH = {"yield": "fused"}
USERS = {"custom_call", "linear_call"}  # they run what a user brings: a rule or a kernel that no example has


def interfaces(record, records):
    """The names of an operation's interfaces, whichever class declared them."""
    names = set()
    for trait in record["traits"]:
        base = records[trait["def"]].get("cppInterfaceName") or ""
        names.add(base)
    return names


def mentions(text, mnemonic):
    """Whether an operation stands in IR, outside of comments."""
    return re.search(rf"tenferro\.{mnemonic}(?![\w.])", re.sub(r"//.*", "", text)) is not None


def tested(path, mnemonic):
    """Whether a file runs something and holds the operation."""
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return "RUN:" in text and mentions(text, mnemonic)


def example(description):
    match = re.search(r"```mlir\n(.*?)```", description, re.S)
    if not match:
        return None
    text = re.sub(r"\n +: ", " : ", match.group(1))  # types that stand on a line of their own
    return re.sub(r"^ {0,4}", "", text, flags=re.M)


def wrap(text):
    """A function around an example: operands become arguments, of the types that follow in order (the last repeats)."""
    defined, arguments = set(), {}
    for line in text.splitlines():
        results, _, rest = line.partition(" = ") if " = tenferro." in line else ("", "", line)
        if line.startswith(" ") or not rest.startswith("tenferro."):  # what is indented is inside a region
            continue
        operation, _, types = rest.partition(" : ")
        types = re.findall(r"tensor<[^>]*>", types.split(" to tensor")[0].split(" -> ")[0]) or ["i1"]
        for i, operand in enumerate(re.findall(r"%\w+", operation)):
            if operand not in defined:
                arguments.setdefault(operand, types[min(i, len(types) - 1)])
        defined.update(re.findall(r"%\w+", results))
    signature = ", ".join(f"{name}: {type}" for name, type in arguments.items())
    return f"func.func @example({signature}) {{\n{text}\nreturn\n}}\n"


def run(ir, *flags):
    """What tenferro-opt prints, and its first complaint."""
    done = subprocess.run(["tenferro-opt", "-", *flags], input=ir, capture_output=True, text=True)
    return done.stdout, done.stderr.strip().partition("\n")[0]


def launched(ir, tier):
    """Why the program cannot be compiled and loaded. Called without inputs, it ends there or runs."""
    done = subprocess.run(["tenferro-run", "-", f"--tier={tier}"], input=ir, capture_output=True, text=True)
    first = done.stderr.strip().partition("\n")[0]
    wants_inputs = re.search(r"error: expects \d+ inputs?, but got 0$", first)
    return first if done.returncode and not wants_inputs else ""


def returned(generic):
    """A function in generic form with its last tensor returned, so that nothing is dead."""
    value, type = re.findall(r"(%\w+) = \"tenferro.*-> (tensor<[^>]*>)", generic)[-1]
    generic = generic.replace('"func.return"() : () -> ()', f'"func.return"({value}) : ({type}) -> ()')
    return re.sub(r"-> \(\)(, sym_name)", rf"-> {type}\1", generic)


def missing(record, records, tests, samples):
    """Yields what an operation lacks."""
    mnemonic = record["opName"]
    if not record["summary"]:
        yield "a summary"
    text = example(record["description"])
    if not text or not mentions(text, mnemonic):
        yield "an example"
    else:
        generic, problem = run(wrap(text), "--mlir-print-op-generic")
        if mnemonic in USERS:
            if problem and "expects 'vjp' to name a function" not in problem:
                yield f"an example that parses: {problem}"
        elif problem:
            yield f"an example that parses: {problem}"
        elif mnemonic not in LOWERED:
            lowered, problem = run(returned(generic), "--tenferro-cpu-pipeline")
            if problem or not lowered:
                yield f"a lowering: {problem}"
            for tier in (0, 1):
                problem = launched(returned(generic), tier)
                if problem:
                    yield f"a launch on tier {tier}: {problem}"
    if mnemonic not in LOWERED:
        found = interfaces(record, records) & {"NonlinearOpInterface", "LinearOpInterface", "NonDifferentiableOpInterface"}
        if not found:
            yield "a derivative rule, or NonDifferentiable"
        elif found != {"NonDifferentiableOpInterface"} and record.get("inTrace") and not mentions(samples, mnemonic):
            yield "a sample whose derivatives are checked"
    others = {"constant": "Creation", "custom_call": "Extension", "linear_call": "Extension"}
    family = record.get("family") or others.get(mnemonic, "Structure")
    if not tested(os.path.join(tests, family, TESTED_WITH.get(mnemonic, mnemonic) + ".mlir"), mnemonic):
        yield f"a test {family}/{mnemonic}.mlir"


def main(path, tests, sample_path):
    with open(path, encoding="utf-8") as file:
        records = json.load(file)
    with open(sample_path, encoding="utf-8") as file:
        samples = file.read()
    names = [name for name in records["!instanceof"]["Op"] if records[name]["opDialect"]["def"] == "Tenferro_Dialect"]
    count = 0
    for name in names:
        for lack in missing(records[name], records, tests, samples):
            count += 1
            print(f"{records[name]['opName']} lacks {lack}")
    print(f"{len(names)} operations, {count} missing")


if __name__ == "__main__":
    main(*sys.argv[1:])
