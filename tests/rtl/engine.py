# SPDX-License-Identifier: Apache-2.0
"""Runs a proof engine for so long and no longer: it and the solver that it starts end together."""

import os
import signal
import subprocess


def run(command, folder, seconds):
    """What it says, or None after `seconds`."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True) as process:
        try:
            return process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            return None
        finally:
            # A solver that nobody reads any more would go on for ever.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
