#!/usr/bin/env python3
"""device_sweep.py TARGET RECORDS.json SAMPLES.mlir OUTPUT_DIRECTORY

Sends every operation of the dialect, in every dtype that it takes, and every differentiable one's derivatives through the
pipeline of TARGET (spirv, sm_80, sm_90) and the result through the target's own checker (spirv-val, ptxas). The operations are
those of RECORDS.json, the programs are made from SAMPLES.mlir. A program has to come out valid or be refused by an error that
names operation, dtype and target; anything else is printed. An operation of REQUIRED must not be refused. The last line is
"N programs: N valid, N refused, N wrong".
"""
import bisect
import json
import os
import re
import subprocess
import sys

DTYPES = ("f32", "f64", "i32", "i64", "ui8", "i1")
# Without these nothing trains; newer operations may be refused until they have a kernel.
REQUIRED = set("""abs add broadcast_in_dim cast compare convert div dot_general erf exp expm1 iota log log1p max maximum min
    minimum mul neg one_hot pad pow reshape rsqrt scatter_add select sigmoid sign slice sqrt sub sum szmul take tanh
    transpose""".split())


def functions(text):
    """The functions of a module by name."""
    return {name: body for body, name in re.findall(r"^ *(func\.func @(\w+).*?\n *\}) *$", text, re.M | re.S)}


def retyped(function, name, new, dtype):
    """The function under a new name with another dtype in the place of f64."""
    return re.sub(r"(x|<)f64>", rf"\g<1>{dtype}>", function).replace(f"@{name}(", f"@{new}(")


def conversions():
    """cast and convert between all pairs; lossy conversions are refused by the verifier."""
    for op in ("cast", "convert"):
        for a in DTYPES:
            for b in DTYPES:
                if a != b:
                    yield f"{op}_{a}_{b}", (f"func.func @{op}_{a}_{b}(%x: tensor<3x{a}>) -> tensor<3x{b}> {{\n"
                                            f"  %r = tenferro.{op} %x : tensor<3x{a}> to tensor<3x{b}>\n"
                                            f"  return %r : tensor<3x{b}>\n}}")


def directions(sample):
    for direction in ("eq", "ne", "lt", "le", "gt", "ge"):
        for dtype in DTYPES:
            name = f"compare_{direction}_{dtype}"
            yield name, retyped(sample.replace("compare lt", f"compare {direction}"), "compare", name, dtype)


def coordinates():
    for dtype in DTYPES:
        yield f"iota_{dtype}", (f"func.func @iota_{dtype}() -> tensor<2x3x{dtype}> {{\n"
                                f"  %r = tenferro.iota axis 1 : tensor<2x3x{dtype}>\n  return %r : tensor<2x3x{dtype}>\n}}")


def indices(op, sample):
    for dtype in ("i32", "ui8"):
        yield f"{op}_by_{dtype}", sample.replace("xi64>", f"x{dtype}>").replace(f"@{op}(", f"@{op}_by_{dtype}(")


def larger(samples):
    """Shapes at which kernels look different: blocks of a reduction, the tree of a product, a chain of terms."""
    for dtype in DTYPES:
        for op in ("sum", "max", "min"):
            yield f"{op}_blocks_{dtype}", (f"func.func @{op}_blocks_{dtype}(%x: tensor<3x5000x{dtype}>) -> tensor<3x{dtype}> {{\n"
                                           f"  %r = tenferro.{op} %x [1] : tensor<3x5000x{dtype}>\n  return %r : tensor<3x{dtype}>\n}}")
        yield f"dot_tree_{dtype}", (
            f"func.func @dot_tree_{dtype}(%a: tensor<300x{dtype}>, %b: tensor<300x{dtype}>) -> tensor<{dtype}> {{\n"
            f"  %r = tenferro.dot_general %a, %b contracting [0] x [0] : tensor<300x{dtype}>, tensor<300x{dtype}>\n"
            f"  return %r : tensor<{dtype}>\n}}")


def derivatives(samples, differentiable):
    """vjp, jvp and the vjp of the jvp of each sample, as the passes print them."""
    for dtype in ("f32", "f64"):
        module = "\n".join(retyped(samples[op], op, f"{op}_{dtype}", dtype) for op in differentiable)
        flags = []
        for op in differentiable:
            flags += [f"--tenferro-jvp=function={op}_{dtype}", f"--tenferro-vjp=function={op}_{dtype}"]
            flags += [f"--tenferro-vjp=function={op}_{dtype}_jvp"]
        done = subprocess.run(["tenferro-opt", "-", *flags], input=module, capture_output=True, text=True)
        if done.returncode:
            print(f"wrong: derivatives in {dtype}: {done.stderr.strip().splitlines()[0]}")
            sys.exit(1)
        for name, body in functions(done.stdout).items():
            if name.endswith(("_jvp", "_vjp")):
                yield name, body


def complaints(stderr, chunks):
    """The errors of a run by program, which is found by the line it starts at."""
    starts, found = sorted(chunks), {}
    for line, message in re.findall(r"^[^\n:]*:(\d+):\d+: error: ([^\n]*)", stderr, re.M):
        name = chunks[starts[bisect.bisect(starts, int(line)) - 1]]
        found.setdefault(name, []).append(message)
    return found


def run(programs, path, *flags):
    """tenferro-opt over all programs, each a part of one file: errors by program."""
    chunks, line = {}, 1
    with open(path, "w", encoding="utf-8") as file:
        for name, body in programs.items():
            text = body + "\n// -----\n"
            chunks[line] = name
            file.write(text)
            line += text.count("\n")
    done = subprocess.run(["tenferro-opt", path, "--split-input-file", "-o", os.devnull, *flags], capture_output=True, text=True)
    found = complaints(done.stderr, chunks)
    if done.returncode not in (0, 1) or (done.returncode and not found):
        print(f"wrong: tenferro-opt ended with {done.returncode}: {done.stderr[-2000:]}")
        sys.exit(1)
    return found


def check_spirv(path):
    return subprocess.run(["spirv-val", "--target-env", "vulkan1.3", path], capture_output=True, text=True)


def check_ptx(folder, files, chip):
    """All files assembled as one: a start of ptxas costs more than a kernel."""
    text = ""
    for name in files:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            source = file.read()
        text += re.sub(r"^\.(version|target|address_size).*$", "", source, flags=re.M) if text else source
    joined = os.path.join(folder, "all.joined")
    with open(joined, "w", encoding="utf-8") as file:
        file.write(text)
    return subprocess.run(["ptxas", f"-arch={chip}", joined, "-o", os.devnull], capture_output=True, text=True)


def main(target, records, samples_path, folder):
    names = sorted(records[name]["opName"] for name in records["!instanceof"]["Tenferro_Op"] if records[name]["inTrace"])
    with open(samples_path, encoding="utf-8") as file:
        samples = functions(file.read())
    wrong = []
    differentiable = [
        op for op in names
        if op in samples and not any("NonDifferentiable" in trait["def"] for record in records.values()
                                     if isinstance(record, dict) and record.get("opName") == op and "inTrace" in record
                                     for trait in record["traits"])]
    programs = dict(conversions())
    programs.update(coordinates())
    for op in names:
        if op not in samples:
            continue
        for dtype in DTYPES:
            programs[f"{op}_{dtype}"] = retyped(samples[op], op, f"{op}_{dtype}", dtype)
        programs.update(indices(op, samples[op]) if "xi64>" in samples[op] else ())
    programs.update(directions(samples["compare"]))
    programs.update(larger(samples))
    os.makedirs(folder, exist_ok=True)
    for name in run(programs, os.path.join(folder, "parsed.mlir")):  # dtypes that the operation does not take
        programs.pop(name)
    programs.update(derivatives(samples, differentiable))

    gpu, extension = ("spirv", "spv") if target == "spirv" else ("nvvm", "ptx")
    everything = "\n".join(programs.values())
    wrong += [f"no program with {op}" for op in names if not re.search(rf"tenferro\.{op}(?![\w.])", everything)]
    options = f"output={folder}" + ("" if gpu == "spirv" else f" chip={target}")
    found = run(programs, os.path.join(folder, "programs.mlir"), f"--tenferro-{gpu}-pipeline={options}")
    refusals = {}
    for name, messages in found.items():
        pattern = rf"'tenferro\.(\w+)' op has no kernel on {gpu} for \w+$"
        refused = {match.group(1) for match in (re.match(pattern, message) for message in messages) if match}
        if len([m for m in messages if not re.match(pattern, m)]) or refused & REQUIRED:
            wrong.append(f"{name}: {'; '.join(messages)}")
        for op in refused:
            refusals.setdefault(op, []).append(name)
    made = [f"{name}_kernels.{extension}" for name in programs if name not in found]
    missing = [name for name in made if not os.path.exists(os.path.join(folder, name))]
    wrong += [f"{name} was not written" for name in missing]
    made = [name for name in made if name not in missing]
    if gpu == "spirv":
        for name in made:
            done = check_spirv(os.path.join(folder, name))
            if done.returncode:
                wrong.append(f"{name}: {(done.stdout + done.stderr).strip()}")
    else:
        done = check_ptx(folder, made, target)
        if done.returncode:
            wrong.append(f"ptxas: {(done.stdout + done.stderr)[:3000]}")
    for line in wrong:
        print(f"wrong: {line}")
    for op, where in sorted(refusals.items()):
        print(f"refused: {op} in {', '.join(where)}")
    print(f"{len(programs)} programs: {len(made)} valid, {len(found)} refused, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as records_file:
        RECORDS = json.load(records_file)
    sys.exit(main(sys.argv[1], RECORDS, sys.argv[3], sys.argv[4]))
