# reference/compare.awk - compare the posteriors of `credence predict --proba --csv` with a
# reference file.
#
#   awk -f csv.awk -f compare.awk -v tolerance=1e-9 -v relative=1e-9 REFERENCE PREDICTED
#
# Prints the worst absolute and relative difference, and fails when one of them is above its
# tolerance, when the mean posterior of a class over all rows differs by more than the tolerance,
# when a class or row is absent or unknown, or when the predicted class is not the likeliest one.
function fail(text) { print "    " text; bad = 1 }
function abs(x) { return x < 0 ? -x : x }

# A posterior, or the word "none" where the program printed something else.
function number(text) { return text ~ /^[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/ ? text + 0 : "none" }

# Differences below the smallest normal numbers say nothing about the arithmetic.
function compare(row, class, want, got,    gap, ratio)
{
    if (got == "none") {
        fail("row " row ": there is no number for " class)
        return
    }
    gap = abs(want - got)
    ratio = want > 1e-290 ? gap / want : 0
    if (gap > worst) { worst = gap; worst_row = row }
    if (ratio > worst_ratio) { worst_ratio = ratio; ratio_row = row }
}

{ sub(/\r$/, "") }

# The reference: two remarks, a header, rows and perhaps sums.
NR == FNR && /^# rows / { rows = $3 + 0 }
NR == FNR && /^#/ { next }
NR == FNR && !classes {
    classes = csv_split($0, class) - 1
    next
}
NR == FNR {
    csv_split($0, cell)
    wanted[cell[1]]
    for (i = 1; i <= classes; i++)
        want[cell[1], i] = cell[i + 1] + 0
    next
}

# The prediction: the header tells which column belongs to which class.
FNR == 1 {
    columns = csv_split($0, cell)
    for (i = 1; i <= columns; i++)
        column[cell[i]] = i
    for (i = 1; i <= classes; i++)
        if (!(class[i + 1] in column))
            fail("there is no column " class[i + 1])
    if (!("prediction" in column))
        fail("there is no column prediction")
    if (columns != classes + 1)
        fail("there are " columns " columns instead of " classes + 1)
    if (bad)
        exit
    next
}
{
    row = FNR - 1
    csv_split($0, cell)
    for (i = 1; i <= classes; i++) {
        got[i] = number(cell[column[class[i + 1]]])
        sum[i] += got[i]
    }
    if (!(row in wanted))
        next
    best = 1
    for (i = 1; i <= classes; i++) {
        compare(row, class[i + 1], want[row, i], got[i])
        if (want[row, i] > want[row, best])
            best = i
    }
    if (class[best + 1] != "p(" cell[column["prediction"]] ")")
        fail("row " row ": " cell[column["prediction"]] " instead of " class[best + 1])
}

END {
    if (!bad) {
        if (row != rows)
            fail("there are " row + 0 " rows instead of " rows)
        if (worst > tolerance)
            fail("row " worst_row " differs by " worst)
        if (worst_ratio > relative)
            fail("row " ratio_row " differs by the ratio " worst_ratio)
        for (i = 1; ("sum" in wanted) && i <= classes; i++)
            if (abs(sum[i] - want["sum", i]) > tolerance * rows)
                fail("the sum of " class[i + 1] " is " sum[i] " instead of " want["sum", i])
    }
    printf "    worst difference %.1e, relative %.1e\n", worst, worst_ratio
    exit bad
}
