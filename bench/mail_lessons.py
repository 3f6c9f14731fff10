#!/usr/bin/env python3
"""mail_lessons.py - what one lesson costs, and one judgement, in stores of many messages.

Usage: bench/mail_lessons.py FOLDER [LESSONS]

FOLDER has folders whose names contain "ham" or "spam", one message a file. All messages but LESSONS (300) that
are drawn by a fixed seed are taught to credence (found in CREDENCE_BIN) and bogofilter at once; then these are
judged and taught one at a time, each by a process of its own that syncs, the two programs in turn. Prints the CPU
time (user and system, with the start of the process) and the time on the wall: mean, median, 99 % below, largest.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

folder = pathlib.Path(sys.argv[1])
lessons = int(sys.argv[2]) if len(sys.argv) > 2 else 300
credence = os.environ.get("CREDENCE_BIN", "credence")
home = tempfile.mkdtemp(dir=os.environ.get("TMPDIR"))
store = home + "/mail"
devnull = os.open(os.devnull, os.O_WRONLY)


def class_of(path):
    return "ham" if "ham" in path.parent.name else "spam"


def learn_command(program, path):
    if program == "credence":
        return [credence, "filter", "-q", "--learn", class_of(path), store, str(path)]
    return ["bogofilter", "-d", home, "-n" if class_of(path) == "ham" else "-s", "-I", str(path)]


def judge_command(program, path):
    return [credence, "filter", "-q", store, str(path)] if program == "credence" else ["bogofilter", "-d", home, "-I", str(path)]


def cost(command):
    """(CPU seconds, seconds on the wall) of one process"""
    start = time.perf_counter()
    actions = [(os.POSIX_SPAWN_DUP2, devnull, 1), (os.POSIX_SPAWN_DUP2, devnull, 2)]
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    status, usage = os.wait4(pid, 0)[1:]
    if os.waitstatus_to_exitcode(status) > 2:
        sys.exit(f"{' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start


def teach_all(paths):
    for name in ("ham", "spam"):
        where = pathlib.Path(home, "taught", name)
        where.mkdir(parents=True)
        for i, path in enumerate(p for p in paths if class_of(p) == name):
            (where / str(i)).symlink_to(path.resolve())
    first = [next(p for p in paths if class_of(p) == name) for name in ("ham", "spam")]
    taught = home + "/taught"
    for path in first:
        subprocess.run([credence, "filter", "-q", "--learn", class_of(path)], check=True,
                       env=dict(os.environ, CREDENCE_MAIL=store), stdin=path.open("rb"))
    for name in ("ham", "spam"):
        subprocess.run([credence, "learn", "-q", "-f", "mail", store, f"{taught}/{name}", "--as", name], check=True)
        subprocess.run(["bogofilter", "-d", home, "-n" if name == "ham" else "-s", "-B", f"{taught}/{name}"], check=True)


def report(what, costs):
    for unit, column in (("CPU", 0), ("wall", 1)):
        x = sorted(1000 * c[column] for c in costs)
        n = len(x)
        print(f"{what:20} {unit:4} mean {sum(x) / n:6.2f}  median {x[n // 2]:6.2f}  99 % below {x[min(n - 1, n * 99 // 100)]:6.2f}"
              f"  largest {x[-1]:6.2f} ms")


found = sorted(p for p in folder.glob("*/*") if p.name != "cmds")
random.Random(1).shuffle(found)
drawn, rest = found[:lessons], found[lessons:]
teach_all(rest)
costs = {}
for message in drawn:
    for program in ("credence", "bogofilter"):
        costs.setdefault((program, "judges"), []).append(cost(judge_command(program, message)))
        costs.setdefault((program, "learns"), []).append(cost(learn_command(program, message)))
for (program, what), list_of in sorted(costs.items()):
    report(f"{program} {what}", list_of)
subprocess.run([credence, "store", "check", store], check=True, stdout=devnull)
