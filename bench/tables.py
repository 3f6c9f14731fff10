#!/usr/bin/env python3
"""bench/tables.py - UCI sets as plain CSV and ARFF, for measurements beside other programs.

Usage: tables.py DATA OUT [NAME...]

DATA is the folder of data sets, OUT gets NAME.csv (with names of columns, ? for missing, the class
last) and NAME.arff of every set. Identifiers are left out; codes that are written as numbers are
quoted symbols, which is what NAME.options tells `credence`.
"""
import csv
import gzip
import io
import os
import re
import sys

# Name, form, number of the class column (0: the last), files, columns left out, columns of symbols.
SETS = """
balance-scale arff 0 arff/balance.scale.arff - -
breast-cancer arff 0 arff/breast.cancer.arff - -
breast-w data 0 uci/breast-cancer-wisconsin.data 1 -
car arff 0 arff/car.arff - -
chess arff 0 arff/kr.vs.kp.arff - -
credit-a arff 0 arff/credit.a.arff - -
german blank 0 uci/german.data - -
glass data 0 uci/glass.data 1 -
heart-c arff 0 arff/heart.c.arff - -
hepatitis arff 0 arff/hepatitis.arff - -
ionosphere data 0 uci/ionosphere.data - -
iris data 0 uci/iris.data - -
letter data 1 uci/letter-recognition.data - -
lymphography arff 0 arff/lymph.arff - -
mushroom data 1 uci/agaricus-lepiota.data - -
nursery data 0 uci/nursery.data - -
pima csv 0 mlbench/PimaIndiansDiabetes2.csv - -
satellite blank 0 uci/sat.trn,uci/sat.tst - -
segment arff 0 arff/segment.arff - -
sonar data 0 uci/sonar.all-data - -
soybean arff 0 arff/soybean.arff - -
spambase data 0 uci/spambase.data - -
tic-tac-toe data 0 uci/tic-tac-toe.data - -
vehicle csv 0 mlbench/Vehicle.csv - -
votes data 1 uci/house-votes-84.data - -
vowel csv 0 mlbench/Vowel.csv - -
waveform data 0 uci/waveform.data - -
wdbc data 2 uci/wdbc.data 1 -
wine data 1 uci/wine.data - -
zoo csv 0 mlbench/Zoo.csv - -
"""


def text_of(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as f:
        return f.read().decode("latin-1")


def rows_of(form, text):
    """Names (or None) and rows of one file."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and line[0] not in "%|"]
    names = None
    if form == "arff":
        names = [re.match(r"@attribute\s+('[^']*'|\S+)", line, re.I).group(1).strip("'")
                 for line in lines if line.lower().startswith("@attribute")]
        start = [line.lower().startswith("@data") for line in lines].index(True)
        lines = lines[start + 1:]
    if form == "blank":
        return names, [line.split() for line in lines]
    rows = list(csv.reader(io.StringIO("\n".join(lines)), quotechar="'" if form == "arff" else '"',
                           skipinitialspace=True))
    if form == "csv":
        names, rows = rows[0], rows[1:]
    return names, rows


def is_number(x):
    try:
        float(x)
        return True
    except ValueError:
        return False


def convert(data, out, name, form, target, files, dropped):
    names, rows = None, []
    for file in files.split(","):
        names, more = rows_of(form, text_of(os.path.join(data, "table", file)))
        rows += more
    names = names or ["c%d" % (i + 1) for i in range(len(rows[0]))]
    target = (int(target) or len(names)) - 1
    keep = [i for i in range(len(names)) if str(i + 1) not in dropped.split(",") and i != target]
    keep.append(target)
    table = [["?" if r[i].strip() in ("", "?", "NA") else r[i].strip() for i in keep] for r in rows]
    heads = [names[i] for i in keep]
    with open(os.path.join(out, name + ".csv"), "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([heads] + table)
    with open(os.path.join(out, name + ".arff"), "w") as f:
        f.write("@relation %s\n" % name)
        for i, head in enumerate(heads):
            values = sorted({r[i] for r in table} - {"?"})
            real = i < len(heads) - 1 and all(map(is_number, values)) and \
                not set(values) <= {"0", "1"}
            kind = "numeric" if real else "{%s}" % ",".join("'%s'" % v for v in values)
            f.write("@attribute '%s' %s\n" % (head, kind))
        f.write("@data\n")
        for r in table:
            f.write(",".join("?" if v == "?" else v if is_number(v) and not v.startswith("'")
                             else "'%s'" % v for v in r) + "\n")


def main():
    data, out, only = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(out, exist_ok=True)
    for line in SETS.split("\n"):
        field = line.split()
        if field and (not only or field[0] in only):
            convert(data, out, *field[:5])
            print(field[0])


main()
