#!/usr/bin/env bash
# Installs a finished build and uses it as its users do. usage: run.sh SOURCE_DIR BUILD_DIR
# Every step prints a line; the first that fails ends the script.
set -euo pipefail
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
here=$source/test/Consumer
export TENFERRO_CACHE_DIR=off
work=$(mktemp -d "${TMPDIR:-/tmp}/tenferro-consumer.XXXXXX")
trap 'rm -rf "$work"' EXIT

step() { printf -- '-- %s\n' "$*"; }
fail() { printf 'consumer: %s\n' "$*" >&2; exit 1; }

step "install"
cmake --install "$build" --prefix "$work/first" >"$work/install.log" || fail "the install failed: $(tail "$work/install.log")"
if grep -rnE '#include .(mlir|llvm|lib|runtime|dialects)/' "$work/first/include"; then fail "an installed header includes ours or LLVM's inside"; fi
for library in libtenferro.so libtenferro-core.so libtenferro-compiler.so; do
  [ -e "$work/first/lib/$library" ] || fail "$library was not installed"
done
"$source/test/unit/eager/exports.sh" "$work"/first/lib/libtenferro{,-core}.so
foreign=$(nm -D --defined-only "$work/first/lib/libtenferro-compiler.so" | awk '$3 !~ /^tenferro/ { print $3 }')
[ -z "$foreign" ] || fail "libtenferro-compiler exports other names: $foreign"

# use COMPILER CMAKE_ARGUMENTS...: builds the consumer with them and runs everything it does.
use() {
  local compiler=$1; shift
  rm -rf "$work/build"
  cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" "$@" >"$work/cmake.log" 2>&1 &&
    cmake --build "$work/build" >>"$work/cmake.log" 2>&1 || { tail -n 40 "$work/cmake.log" >&2; fail "the consumer does not build with $compiler $*"; }
  for what in gradient statics runtimes forks; do
    timeout 120 "$work/build/consumer" $what || fail "consumer $what ended with $?"
  done
  timeout 120 "$work/build/host" "$work/build/libplugin.so" || fail "host ended with $?"
}

step "each header alone, without a warning"
for header in "$work"/first/include/tenferro/*.h; do
  for compiler in g++ clang++-22; do
    $compiler -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Werror \
      -I"$work/first/include" -include "$header" -x c++ /dev/null || fail "$compiler warns about $header"
  done
done
step "find_package, clang++-22"
use clang++-22 -DCMAKE_PREFIX_PATH="$work/first"
step "a component that is not there"
if cmake -S "$here" -B "$work/nothing" -G Ninja -DCMAKE_PREFIX_PATH="$work/first" -DCONSUMER_COMPONENTS=nothing >"$work/cmake.log" 2>&1; then
  fail "find_package gives a component that nobody has"
fi
grep -q "tenferro has no components, but 'nothing' is required" "$work/cmake.log" || fail "find_package does not name the component: $(tail "$work/cmake.log")"
step "names of compiled code, for perf and gdb"
TENFERRO_JIT_NAMES=perf "$work/build/consumer" gradient & pid=$!
wait $pid
grep -qE '^[0-9a-f]+ [0-9a-f]+ tenferro:k[0-9]+_' "/tmp/perf-$pid.map" || fail "perf's map names no kernel"
rm -f "/tmp/perf-$pid.map"
if command -v gdb >/dev/null; then
  TENFERRO_JIT_NAMES=gdb timeout 120 gdb -batch -ex 'set breakpoint pending on' -ex 'break __jit_debug_register_code' -ex run \
    -ex finish -ex 'info functions ^k0_' "$work/build/consumer" >"$work/gdb.log" 2>&1 || true
  grep -qE '^0x[0-9a-f]+ +k0_' "$work/gdb.log" || { tail "$work/gdb.log" >&2; fail "gdb knows no kernel"; }
else
  step "  gdb is not here: skipped"
fi
step "what the installed README refers to"
docs=$work/first/share/doc/tenferro
grep -oE '\]\([A-Za-z0-9_./-]+[)#]' "$docs/README.md" | sed 's/^](//; s/.$//' | while read -r path; do
  [ -e "$docs/$path" ] || fail "the installed README refers to $path"
done
grep -oE 'test/Examples/[a-z_]+\.cpp' "$docs/README.md" | sort -u | while read -r path; do
  [ -e "$docs/$path" ] || fail "the installed README refers to $path"
done
"$work/first/bin/tenferro-cases" --tier 0 "$docs"/test/Cases/{contraction,programs}.jsonl | grep -q ', 0 failed, 0 unsupported' ||
  fail "the installed cases do not pass"
step "a moved tree, find_package, g++"
mv "$work/first" "$work/second"
use g++ -DCMAKE_PREFIX_PATH="$work/second"
"$work/second/bin/tenferro-opt" --version >/dev/null || fail "the moved tenferro-opt does not run"
step "pkg-config, g++"
export PKG_CONFIG_PATH="$work/second/lib/pkgconfig"
g++ "$here/consumer.cpp" $(pkg-config --cflags --libs tenferro) -Wl,-rpath,"$work/second/lib" -o "$work/by-pkg-config"
"$work/by-pkg-config"
step "an installed example, from its own folder"
(cd "$work/second/share/doc/tenferro" &&
  g++ -std=c++20 test/Examples/tensor_network.cpp $(pkg-config --cflags --libs tenferro) -Wl,-rpath,"$work/second/lib" -o "$work/example" &&
  "$work/example" >"$work/example.log") || fail "test/Examples/tensor_network.cpp ended with $?"
[ "$(pkg-config --modversion tenferro)" = "$(sed -n 's/#define TENFERRO_VERSION "\(.*\)"/\1/p' "$source/include/tenferro/Version.h")" ] ||
  fail "pkg-config names another version than Version.h"
step "add_subdirectory, with the compiler library of the finished build"
use clang++-22 -DTENFERRO_SOURCE="$source" -DTENFERRO_COMPILER_FROM="$build" -DCMAKE_C_COMPILER=clang-22
