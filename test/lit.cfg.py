# lit configuration: what a test is, where its tools are, which features this build has.
import glob
import os
import platform
import shutil
import sys

import lit.formats

config.name = "tenferro"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "data", "Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)

tools = config.tenferro_tools_dir
config.environment["PATH"] = os.pathsep.join(
    [tools, config.llvm_tools_dir, "/usr/lib/llvm-22/bin", os.environ.get("PATH", "")])
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "TMPDIR", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Neither the user's compiled programs nor those of another test.
config.environment["TENFERRO_CACHE_DIR"] = "off"

config.substitutions.append(("%cxx", config.cxx))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%tenferro_src", config.tenferro_source_dir))
config.substitutions.append(("%tenferro_build", config.tenferro_binary_dir))
config.substitutions.append(("%testdata", os.path.join(config.test_source_root, "data")))

# A feature per tool that was built (REQUIRES: tenferro-run), and per CPU level of this machine (v3, v4).
for tool in ("tenferro-opt", "tenferro-run", "tenferro-cases", "tenferro-aot", "tenferro-bench", "tenferro-lsp-server"):
    if os.path.exists(os.path.join(tools, tool)):
        config.available_features.add(tool)
if platform.machine() == "x86_64" and os.path.exists("/proc/cpuinfo"):
    with open("/proc/cpuinfo") as cpuinfo:
        flags = next((line.split() for line in cpuinfo if line.startswith("flags")), [])
    if {"avx2", "fma", "bmi2"} <= set(flags):
        config.available_features.add("v3")
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= set(flags):
        config.available_features.add("v4")

# Checkers of device code: spirv-val on the path, ptxas where tools/dev/check puts it. Tests that need one say so (REQUIRES:
# spirv-val) and are skipped without it, except in CI.
for tool, places in (("spirv-val", []),
                     ("ptxas", glob.glob(os.path.join(config.tenferro_source_dir, "build/cuda/nvidia/*/bin")))):
    found = shutil.which(tool, path=os.pathsep.join(places + [config.environment["PATH"]]))
    if found:
        config.available_features.add(tool)
        config.environment["PATH"] += os.pathsep + os.path.dirname(found)
    elif os.environ.get("TENFERRO_CI") == "1":
        lit_config.fatal(f"{tool} is missing: tools/dev/check installs it")
    else:
        lit_config.note(f"{tool} is missing: the tests that need it are skipped")
