# bench/growth.awk - how processor time grows with rows: a table with slopes and memory.
#
# Input: lines of kind learner rows seconds MiB. Variable: csv, a file for `credence plot lines`, or
# empty. The slope is that of the last ten-fold step, where starting a program no longer counts: 1
# is linear. Memory is that of the most rows.
function log10(x) { return log(x) / log(10) }

$4 == "-" || !($4 > 0) { next }
{
    name = $1 ", " $2
    if (!(name in count)) order[++names] = name
    n = ++count[name]
    rows[name, n] = $3
    seconds[name, n] = $4
    memory[name] = $5
    if ($3 > most) most = $3
}

function slope(name,    n) {
    n = count[name]
    if (n < 2) return "-"
    return sprintf("%.2f", log10(seconds[name, n] / seconds[name, n - 1]) / log10(rows[name, n] / rows[name, n - 1]))
}

function table(    line, rule, r, i, k, cell, name) {
    line = "| table, learner |"
    rule = "| --- |"
    for (r = 10000; r <= most; r *= 10) {
        line = line sprintf(" 10^%d rows |", log10(r) + 0.5)
        rule = rule " ---: |"
    }
    print line " slope | peak MiB |"
    print rule " ---: | ---: |"
    for (i = 1; i <= names; i++) {
        name = order[i]
        line = "| " name " |"
        for (r = 10000; r <= most; r *= 10) {
            cell = ""
            for (k = 1; k <= count[name]; k++)
                if (rows[name, k] == r) cell = sprintf("%.3g", seconds[name, k])
            line = line " " cell " |"
        }
        printf "%s %s | %.0f |\n", line, slope(name), memory[name]
    }
}

function points(    i, k, name) {
    print "rows,log10 of CPU seconds,learner" > csv
    for (i = 1; i <= names; i++) {
        name = order[i]
        for (k = 1; k <= count[name]; k++)
            printf "%d,%.4f,\"%s, slope %s\"\n", rows[name, k], log10(seconds[name, k]), name, slope(name) > csv
    }
}

END {
    table()
    if (csv != "") points()
}
