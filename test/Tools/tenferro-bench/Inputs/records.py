#!/usr/bin/env python3
"""records.py < OUTPUT

Checks that every line is one measured record with the keys that readers of benchmarks rely on, and prints which case it is.
"""
import json
import sys

KEYS = {"peer": str, "version": str, "bench": str, "case": str, "threads": int, "unit": str, "min": float, "median": float,
        "n": int}

for line in sys.stdin:
    record = json.loads(line)
    for key, kind in KEYS.items():
        if not isinstance(record.get(key), kind):
            sys.exit(f"expects '{key}' of {kind.__name__}, but got {record.get(key)!r} in {line}")
    if not 0 < record["min"] <= record["median"] or record["n"] < 1:
        sys.exit(f"expects 0 < min <= median and n of at least 1, but got {line}")
    print(record["peer"], record["bench"], record["case"], "threads", record["threads"])
