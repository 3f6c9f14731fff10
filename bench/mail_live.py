#!/usr/bin/env python3
"""mail_live.py - mail taught one message at a time, each judged before it is learned.

Usage: bench/mail_live.py FOLDER PROGRAM MODE [LIMIT [MISSES...]]

FOLDER has folders whose names contain "ham" or "spam", one message a file. PROGRAM is credence (found in
CREDENCE_BIN), bogofilter or spamprobe; MODE is everything or error (only what was not judged right is
learned; of credence, what --on-error learns). Every judgement and every lesson is a process of its own, as
behind a mail server. Prints the messages judged, false positives (ham called spam) and misses (spam not
called spam) by quarters, the false positives at some numbers of misses when the limit moves (at MISSES where
they are named), and the CPU time of both kinds of process. A LIMIT of 0 takes all messages. The order is
that of time, or as ORDER in the environment says: reverse, or the seed of a random one.
"""
import email.utils
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

folder, program, mode = sys.argv[1:4]
limit = (int(sys.argv[4]) or None) if len(sys.argv) > 4 else None
wanted = [int(n) for n in sys.argv[5:]] or [50, 100, 150, 200, 300, 455, 548]
credence = os.environ.get("CREDENCE_BIN", "credence")
home = tempfile.mkdtemp()
os.environ["HOME"] = home
os.environ["CREDENCE_MAIL"] = home + "/mail"


def when(raw):
    """The time of the last hop, or of the date field: what is in the head first."""
    head = raw.split(b"\n\n", 1)[0].decode("latin-1")
    for field in re.findall(r"(?im)^Received:.*?;\s*([^;]*?)$(?!\n[ \t])", head, re.S) + re.findall(r"(?im)^Date:(.*)$", head):
        try:
            return email.utils.parsedate_to_datetime(" ".join(field.split())).timestamp()
        except (TypeError, ValueError, IndexError, OverflowError):
            continue
    return 0.0


def messages():
    found = []
    for path in sorted(pathlib.Path(folder).glob("*/*")):
        if path.name == "cmds":
            continue
        raw = path.read_bytes()
        found.append((when(raw), str(path), "ham" if "ham" in path.parent.name else "spam", raw))
    found.sort(key=lambda m: m[:2])
    order = os.environ.get("ORDER", "time")
    if order == "reverse":
        found.reverse()
    elif order != "time":
        random.Random(int(order)).shuffle(found)
    return found[:limit]


def run(command, raw):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, input=raw, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def judge(raw):
    """(called spam, certain of ham, score, CPU seconds)"""
    if program == "credence":
        done, cpu = run([credence, "filter", "--csv"], raw)
        score = done.stdout.split(b",")[-1].strip() if done.returncode < 3 else b""
        return done.returncode == 0, done.returncode == 1, float(score or 0.5), cpu
    if program == "bogofilter":
        done, cpu = run(["bogofilter", "-d", home, "-T"], raw)
        score = done.stdout.split()
        return done.returncode == 0, done.returncode == 1, float(score[1]) if len(score) > 1 else 0.5, cpu
    done, cpu = run(["spamprobe", "-d", home, "score"], raw)
    score = done.stdout.split()
    spam = len(score) > 0 and score[0] == b"SPAM"
    return spam, len(score) > 0 and not spam, float(score[1]) if len(score) > 1 else 0.5, cpu


def learn(raw, truth):
    if program == "credence":
        only = ["--on-error"] if mode == "error" else []
        return run([credence, "filter", "-q", "--sync", "none", "--learn", truth] + only, raw)[1]
    if program == "bogofilter":
        return run(["bogofilter", "-d", home, "-s" if truth == "spam" else "-n"], raw)[1]
    return run(["spamprobe", "-d", home, truth.replace("ham", "good")], raw)[1]


if program == "spamprobe":
    subprocess.run(["spamprobe", "-d", home, "create-db"], stderr=subprocess.DEVNULL)
mail = messages()
quarter = [[0, 0, 0, 0] for _ in range(4)]  # ham, false positives, spam, misses
scores, judging, learning, lessons = [], 0.0, 0.0, 0
for i, (_, _, truth, raw) in enumerate(mail):
    spam, ham, score, cpu = judge(raw)
    judging += cpu
    q = quarter[4 * i // len(mail)]
    q[0 if truth == "ham" else 2] += 1
    q[1] += truth == "ham" and spam
    q[3] += truth == "spam" and not spam
    scores.append((score, truth))
    wanted_lesson = mode == "everything" or not (spam if truth == "spam" else ham)
    if wanted_lesson or program == "credence":  # which counts what it does not learn
        learning += learn(raw, truth)
    lessons += wanted_lesson
if program == "credence":  # it decides for itself which messages it learns
    stat = subprocess.run([credence, "store", "stat", "--json", home + "/mail"], stdout=subprocess.PIPE)
    lessons = json.loads(stat.stdout)["rows"]
total = [sum(column) for column in zip(*quarter)]
print(f"{program} {mode}: {len(mail)} messages, {lessons} lessons")
print(f"  false positives {total[1]} of {total[0]} ham, misses {total[3]} of {total[2]} spam")
print("  by quarters     " + ", ".join(f"{q[1]} and {q[3]}" for q in quarter))
spam = sorted(s for s, t in scores if t == "spam")
ham = [s for s, t in scores if t == "ham"]
for misses in wanted:
    if misses < len(spam):
        print(f"  at {misses} misses: {sum(s >= spam[misses] for s in ham)} false positives")
print(f"  CPU: {1e3 * judging / len(mail):.2f} ms a judgement, {1e3 * learning / max(1, lessons):.2f} ms a lesson")
shutil.rmtree(home)
