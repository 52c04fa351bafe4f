#!/usr/bin/env bash
# usage: no-llvm.sh LIBRARY...: fails if a library needs LLVM or MLIR.
set -eu
for library in "$@"; do
  needed=$(ldd "$library")
  if grep -Ei 'LLVM|MLIR' <<<"$needed"; then
    echo "$library needs LLVM"
    exit 1
  fi
  echo "$library: $(wc -l <<<"$needed") libraries, none of LLVM"
done
