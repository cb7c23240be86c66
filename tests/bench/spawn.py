# SPDX-License-Identifier: Apache-2.0
"""Runs a command; prints its exit code, its peak memory in KiB, its CPU seconds: spawn.py OUTPUT_FILE COMMAND ...

A process of its own, started as python -I -S: Linux counts the size of the process that starts a program as the program's
own peak, so the starter has to be smaller than what it measures."""

import os
import sys

out = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
actions = [(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, out, 2)]
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ, file_actions=actions)
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, usage.ru_utime + usage.ru_stime)
