# Sourced by the scripts beside it: stages with their time, test counts, the packages a machine needs.

set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
passed=0
failed=0
export TENFERRO_CACHE_DIR=off # tests keep no programs, and find none
slow=1 # what time limits are multiplied by

say() { printf '%s\n' "$*"; }
die() { say "error: $*" >&2; exit 1; }

# answer_help ARGUMENTS: where the first is --help, prints the comment the script begins with, and ends it.
answer_help() {
  case "${1:-}" in -h | --help) ;; *) return 0 ;; esac
  sed -n '2,/^[^#]/s/^# //p' "$0"
  exit 0
}

logs=$(mktemp -d "${TMPDIR:-/tmp}/tenferro-logs.XXXXXX")
keep_logs=0
trap '[ $keep_logs -eq 1 ] || rm -rf "$logs"' EXIT

# stage NAME COMMAND...: runs the command with its output in a log, prints one line with the time; on failure the log's
# tail, and the log stays. Returns the command's status.
stage() {
  local name=$1; shift
  local log; log=$(mktemp "$logs/XXXXXX")
  local start=$SECONDS status=0
  [ ! -t 1 ] || printf '%-34s ...\r' "$name"
  "$@" >"$log" 2>&1 || status=$?
  local seconds=$((SECONDS - start))
  if [ $status -eq 0 ]; then
    printf '%-34s ok      %4d s\n' "$name" $seconds
  else
    printf '%-34s FAILED  %4d s\n' "$name" $seconds
    tail -n 60 "$log" | sed 's/^/    /'
    say "    all of it: $log"
    keep_logs=1
  fi
  last_log=$log
  return $status
}

# What has to be there, by Debian package.
packages=(
  clang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools libclang-rt-22-dev g++ cmake ninja-build ccache
  python3 valgrind libgtest-dev libxxhash-dev nlohmann-json3-dev zlib1g-dev libzstd-dev libxml2-dev libedit-dev pkg-config ca-certificates
)

# Installs the missing packages; says which if it may not.
install_packages() {
  local missing=() p
  for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  command -v apt-get >/dev/null || { say "these Debian packages are missing and there is no apt-get: ${missing[*]}"; return 1; }
  [ "$(id -u)" -eq 0 ] || { say "these Debian packages are missing, run as root or install them: apt-get install ${missing[*]}"; return 1; }
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# What checks code for devices: spirv-val (Debian), ptxas and libdevice (PyPI, into build/cuda). Tests are skipped without them,
# so only CI insists.
install_device_tools() {
  local cuda="$root/build/cuda" status=0
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null && { ! command -v spirv-val || ! python3 -m pip --version; } >/dev/null 2>&1; then
    # The lists may be absent where all other packages were there already.
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends spirv-tools python3-pip
  fi
  if ! ls "$cuda"/nvidia/*/bin/ptxas >/dev/null 2>&1; then
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$cuda" 'nvidia-cuda-nvcc==13.*' 'nvidia-nvvm==13.*'
  fi
  command -v spirv-val >/dev/null || { say "spirv-val is missing: apt-get install spirv-tools"; status=1; }
  ls "$cuda"/nvidia/*/bin/ptxas >/dev/null 2>&1 || { say "ptxas is missing: pip install --target $cuda nvidia-cuda-nvcc nvidia-nvvm"; status=1; }
  return $status
}

configure() { (cd "$root" && cmake --preset "$@"); }
build() { local preset=$1; shift; cmake --build "$root/build/$preset" -- "$@"; }

# count_gtest LOG: adds a GoogleTest log's totals.
count_gtest() {
  local ok bad
  ok=$(grep -oE '\[  PASSED  \] [0-9]+ test' "$1" | grep -oE '[0-9]+' | tail -1)
  bad=$(grep -oE '\[  FAILED  \] [0-9]+ test' "$1" | grep -oE '[0-9]+' | tail -1)
  passed=$((passed + ${ok:-0})); failed=$((failed + ${bad:-0}))
}

# count_lit LOG: adds lit's totals.
count_lit() {
  local n
  for key in Passed 'Expectedly Failed'; do
    n=$(grep -E "^ *$key *:" "$1" | grep -oE '[0-9]+ \(|: +[0-9]+' | grep -oE '[0-9]+' | head -1); passed=$((passed + ${n:-0}))
  done
  for key in Failed 'Unexpectedly Passed' 'Timed Out' Unresolved; do
    n=$(grep -E "^ *$key *:" "$1" | grep -oE ': +[0-9]+' | grep -oE '[0-9]+' | head -1); failed=$((failed + ${n:-0}))
  done
}

# run_unit_tests BIN_DIR: every GoogleTest executable there, and in lib beside it (where those lie that look for the compiler in
# their own folder), counted; a crash counts as one failure.
run_unit_tests() {
  local t before status=0
  for t in "$1"/*-test "$1"/../lib/*-test; do
    [ -x "$t" ] || continue
    before=$failed
    if stage "unit: $(basename "$t")" timeout $((slow * 900)) "$t" --gtest_brief=0; then
      count_gtest "$last_log"
    else
      count_gtest "$last_log"
      [ $failed -gt $before ] || failed=$((failed + 1))
      status=1
    fi
  done
  return $status
}

# run_counted NAME COMMAND...: one test that passes or fails as a whole.
run_counted() {
  if stage "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); return 1; fi
}

summary() { say "$passed passed, $failed failed"; }
