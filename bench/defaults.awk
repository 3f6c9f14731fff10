# bench/defaults.awk - what bench/defaults.sh measured, as a Markdown table for each question.
#
# Variable: detail, the question whose figures are also shown set by set.
# Input: set, fold, question, setting, test rows, log-loss and accuracy, separated by tabs. A set's
# figure is the mean over all its rows. For each setting: the mean over the sets, the paired
# difference from the best setting with its standard error (the spread of the sets' differences
# over the root of their number), the mean rank among the settings (ties share), the sets where it
# is best (ties share), and the accuracy likewise.
{
    set = $1; question = $3; setting = $4
    if (!(question in settings)) asked[++questions] = question
    if (!((question, setting) in known)) {
        known[question, setting]
        option[question, ++settings[question]] = setting
    }
    if (!((question, set) in member)) {
        member[question, set]
        sample[question, ++sets[question]] = set
    }
    rows[question, setting, set] += $5
    loss[question, setting, set] += $5 * $6
    right[question, setting, set] += $5 * $7
}

function collect(q, i, j, o, s, n) {
    for (i = 1; i <= settings[q]; i++) {
        o = option[q, i]
        mean[i] = accuracy[i] = rank[i] = wins[i] = 0
        for (j = 1; j <= sets[q]; j++) {
            s = sample[q, j]
            n = rows[q, o, s]
            value[i, j] = loss[q, o, s] / n
            mean[i] += value[i, j] / sets[q]
            hits[i, j] = 100 * right[q, o, s] / n
            accuracy[i] += hits[i, j] / sets[q]
        }
    }
}

function compare(q, i, j, k, below, equal) {
    for (j = 1; j <= sets[q]; j++)
        for (i = 1; i <= settings[q]; i++) {
            below = equal = 0
            for (k = 1; k <= settings[q]; k++)
                if (value[k, j] < value[i, j] - 1e-12)
                    below++
                else if (value[k, j] <= value[i, j] + 1e-12)
                    equal++
            rank[i] += (below + (equal + 1) / 2) / sets[q]
            if (below == 0)
                wins[i] += 1 / equal
        }
}

# The paired difference of settings a and b in a figure x, over the sets, and its standard error.
function difference(q, x, a, b, form, j, d, sum, squares, n) {
    n = sets[q]
    for (j = 1; j <= n; j++)
        sum += x[a, j] - x[b, j]
    for (j = 1; j <= n; j++) {
        d = x[a, j] - x[b, j] - sum / n
        squares += d * d
    }
    return sprintf(form, sum / n, n > 1 ? sqrt(squares / (n - 1) / n) : 0)
}

function report(q, i, j, best, swap) {
    collect(q)
    compare(q)
    for (i = 1; i <= settings[q]; i++)
        order[i] = i
    for (i = 2; i <= settings[q]; i++)
        for (j = i; j > 1 && mean[order[j]] < mean[order[j - 1]]; j--) {
            swap = order[j]; order[j] = order[j - 1]; order[j - 1] = swap
        }
    best = order[1]
    printf "\n### %s: %d sets\n\n", q, sets[q]
    print "| setting | log-loss | from the best | rank | wins | accuracy % | from the best |"
    print "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for (j = 1; j <= settings[q]; j++) {
        i = order[j]
        printf "| %s | %.4f | %s | %.2f | %.1f | %.2f | %s |\n", option[q, i], mean[i],
               i == best ? "" : difference(q, value, i, best, "%+.4f ± %.4f"), rank[i],
               wins[i], accuracy[i],
               i == best ? "" : difference(q, hits, i, best, "%+.2f ± %.2f")
    }
    if (q == detail)
        set_by_set(q)
}

# Log-loss and accuracy of each setting, in the order asked, for every set.
function set_by_set(q, i, j) {
    printf "\n| set |"
    for (i = 1; i <= settings[q]; i++)
        printf " %s | %% |", option[q, i]
    printf "\n| --- |"
    for (i = 1; i <= settings[q]; i++)
        printf " ---: | ---: |"
    print ""
    for (j = 1; j <= sets[q]; j++) {
        printf "| %s |", sample[q, j]
        for (i = 1; i <= settings[q]; i++)
            printf " %.3f | %.1f |", value[i, j], hits[i, j]
        print ""
    }
}

END {
    for (k = 1; k <= questions; k++)
        report(asked[k])
}
