# bench/growth.awk - how processor time grows with rows: a table, its slopes, and a log-log picture.
#
# Input: lines of kind learner rows seconds. Variable: svg, the file to draw, or empty. The slope is
# that of the last ten-fold step, where starting a program no longer counts: 1 is linear.
function log10(x) { return log(x) / log(10) }
function X(rows) { return 60 + (log10(rows) - 4) * 150 }
function Y(s) { return 330 - (log10(s) + 3) * 60 }

$4 == "-" || !($4 > 0) { next }
{
    name = $1 ", " $2
    if (!(name in count)) order[++names] = name
    n = ++count[name]
    rows[name, n] = $3
    seconds[name, n] = $4
    if ($3 > most) most = $3
}

function draw(    colours, colour, i, d, k, name) {
    split("#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #000000 #999999 #7f3c8d", colours, " ")
    printf "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 370' font-family='sans-serif' font-size='11'>\n" > svg
    print "<rect width='720' height='370' fill='white'/>" > svg
    for (d = 4; d <= 7; d++)
        printf "<path d='M%d 30V330' stroke='#ddd'/><text x='%d' y='346' text-anchor='middle'>10^%d rows</text>\n", X(10 ^ d), X(10 ^ d), d > svg
    for (d = -3; d <= 2; d++)
        printf "<path d='M60 %dH510' stroke='#ddd'/><text x='54' y='%d' text-anchor='end'>%g s</text>\n", Y(10 ^ d), Y(10 ^ d) + 4, 10 ^ d > svg
    for (i = 1; i <= names; i++) {
        name = order[i]
        colour = colours[(i - 1) % 9 + 1]
        printf "<polyline fill='none' stroke='%s' stroke-width='1.5' points='", colour > svg
        for (k = 1; k <= count[name]; k++)
            printf "%.1f,%.1f ", X(rows[name, k]), Y(seconds[name, k]) > svg
        printf "'/><text x='530' y='%d' fill='%s'>%s, slope %s</text>\n", 30 + 16 * i, colour, name, slope(name) > svg
    }
    print "</svg>" > svg
}

function slope(name,    n) {
    n = count[name]
    if (n < 2) return "-"
    return sprintf("%.2f", log10(seconds[name, n] / seconds[name, n - 1]) / log10(rows[name, n] / rows[name, n - 1]))
}

END {
    line = "| table, learner |"
    rule = "| --- |"
    for (r = 10000; r <= most; r *= 10) {
        line = line sprintf(" 10^%d rows |", log10(r) + 0.5)
        rule = rule " ---: |"
    }
    print line " slope |"
    print rule " ---: |"
    for (i = 1; i <= names; i++) {
        name = order[i]
        line = "| " name " |"
        for (r = 10000; r <= most; r *= 10) {
            cell = ""
            for (k = 1; k <= count[name]; k++)
                if (rows[name, k] == r) cell = sprintf("%.3g", seconds[name, k])
            line = line " " cell " |"
        }
        print line " " slope(name) " |"
    }
    if (svg != "") draw()
}
