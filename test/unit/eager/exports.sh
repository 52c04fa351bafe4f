#!/usr/bin/env bash
# usage: exports.sh LIBRARY...: fails if a library exports a name that is not ours.
set -eu
for library in "$@"; do
  names=$(nm -D --defined-only "$library" | awk '{ print $3 }')
  [ -n "$names" ] || { echo "$library exports nothing"; exit 1; }
  if foreign=$(grep -vE '^_Z(N|NK|TV|TI|TS|TH|TW)N?8tenferro' <<<"$names"); then
    echo "$library exports other names:"
    echo "$foreign"
    exit 1
  fi
  echo "$library: $(wc -l <<<"$names") names, all ours"
done
