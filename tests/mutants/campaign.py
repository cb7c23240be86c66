# SPDX-License-Identifier: Apache-2.0
"""What every campaign of single faults needs: a fault is applied, its program is built and run, and what nobody notices survives.
tests/mutants (the program) and tests/cosim (hw/rtl) say which faults there are, and how each is looked for."""

import contextlib
import resource
import signal
import subprocess
import sys
import time


class Broken(Exception):
    """An edit that does not apply, or a program that does not build."""


def replaced(text, fault, file, old, new):
    """`text` with `new` where `old` stands, which has to be exactly once."""
    if old == new:
        raise Broken(f"{fault}: is no change")
    if text.count(old) != 1:
        raise Broken(f"{fault}: {file} has '{old}' {text.count(old)} times, expected once")
    return text.replace(old, new)


def changed_files(folder, fault, edits):
    """{file: its new text} after all `edits` (file, old, new) of a fault; the files stay as they are."""
    texts = {}
    for file, old, new in edits:
        text = texts[file] if file in texts else (folder / file).read_text(encoding="utf-8")
        texts[file] = replaced(text, fault, file, old, new)
    return texts


@contextlib.contextmanager
def written(folder, texts):
    """The files of `folder` have these texts meanwhile."""
    before = {file: (folder / file).read_text(encoding="utf-8") for file in texts}
    try:
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8")
        yield
    finally:
        for file, text in before.items():
            (folder / file).write_text(text, encoding="utf-8")


def applied(folder, fault, edits):
    """The files of `folder` have the fault meanwhile."""
    return written(folder, changed_files(folder, fault, edits))


def check_names(names):
    if len(set(names)) != len(names):
        raise Broken(f"two faults have one name: {next(name for name in names if names.count(name) > 1)}")


def run(command, folder, seconds=None, cpu_seconds=None):
    """Exit code and output of a program; the code is None when it takes longer than `seconds`, or than the whole number
    `cpu_seconds` of CPU time, which does not depend on what else the computer does."""

    def limit_cpu():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))

    try:
        result = subprocess.run([str(part) for part in command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, errors="replace", timeout=seconds, check=False,
                                preexec_fn=limit_cpu if cpu_seconds else None)
    except subprocess.TimeoutExpired:
        return None, f"takes longer than {seconds} s"
    if cpu_seconds and result.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, f"takes longer than {cpu_seconds} s of CPU time"
    return result.returncode, result.stdout


def cpu_seconds_of_children():
    """CPU time of all programs so far that run() has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def must(command, folder):
    """Output of a program that has to succeed."""
    code, text = run(command, folder)
    if code != 0:
        raise Broken(f"{command[0]} failed in {folder}:\n{text[-3000:]}")
    return text


def run_all(names, find):
    """Calls `find(number)` for each fault: it says who has found it, or nothing. Prints a line a fault, and the sum. A fault that
    does not build is told, and the others are tried. Exit code: 0 all were found, 1 some were not, 2 some do not build."""
    survivors, broken = [], []
    for number, name in enumerate(names):
        start = time.monotonic()
        try:
            found = find(number)
        except Broken as error:
            broken.append(name)
            found = f"BROKEN: {error}"
        print(f"{name}: {found or 'SURVIVES'} ({time.monotonic() - start:.0f} s)", flush=True)
        if not found:
            survivors.append(name)
    print(f"{len(names)} faults, {len(survivors)} survive{': ' if survivors else ''}{', '.join(survivors)}"
          + (f"; {len(broken)} do not build: {', '.join(broken)}" if broken else ""))
    return 2 if broken else 1 if survivors else 0


def exit_with(main):
    try:
        sys.exit(main())
    except Broken as error:
        print(f"mutants: {error}", file=sys.stderr)
        sys.exit(2)
