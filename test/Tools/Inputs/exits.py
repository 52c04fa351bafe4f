#!/usr/bin/env python3
"""exits.py STATUS COMMAND...

Runs the command and asks for exactly that exit status, where lit's `not` takes any but 0.
"""
import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
if status != int(sys.argv[1]):
    sys.exit(f"expects exit status {sys.argv[1]}, but got {status}")
