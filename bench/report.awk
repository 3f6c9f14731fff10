# bench/report.awk - one data set's measurements as a Markdown table, and the ratios that matter.
#
# Input: lines of set|role|label|threads|wall|processor|peak MiB, "-" where a program failed.
# Variables: set, rows.
$1 != set { next }
{
    n++
    role[n] = $2; label[n] = $3; threads[n] = $4; wall[n] = $5; cpu[n] = $6; peak[n] = $7
    time[$2, $4] = $5
    memory[$2, $4] = $7
}

function known(x) { return x != "" && x != "-" }
function seconds(x) { return known(x) ? sprintf("%.3f", x) : "failed" }
function ratio(a, b) { return known(a) && known(b) ? sprintf("%.2f", a / b) : "-" }
function times(a, b) { return known(a) && known(b) ? sprintf("%.1f ×", a / b) : "-" }
function speed(x, t) { return known(x) ? sprintf("%.2f", rows / x / t / 1e6) : "-" }

END {
    print "| program | threads | wall s | processor s | peak MiB | wall / credence 1 thread |" \
          " wall / credence 2 threads | peak / credence |"
    print "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for (i = 1; i <= n; i++)
        printf "| %s | %d | %s | %s | %s | %s | %s | %s |\n", label[i], threads[i],
               seconds(wall[i]), seconds(cpu[i]), known(peak[i]) ? peak[i] : "-",
               ratio(wall[i], time["train", 1]), ratio(wall[i], time["train", 2]),
               ratio(peak[i], memory["train", 1])
    print ""
    print "- credence train / limit: " times(time["train", 1], time["limit", 1]) \
          " with 1 thread, " times(time["train", 2], time["limit", 2]) " with 2"
    print "- a second thread: train " times(time["train", 1], time["train", 2]) ", limit " \
          times(time["limit", 1], time["limit", 2]) ", predict " \
          times(time["predict", 1], time["predict", 2])
    for (i = 1; i <= n; i++)
        if (role[i] == "peer")
            print "- " label[i] " / credence train: " times(wall[i], time["train", 1]) \
                  " with 1 thread, " times(wall[i], time["train", 2]) " with 2"
    print "- peak memory of train, all rows / a tenth of them: " \
          ratio(memory["train", 1], memory["tenth", 1])
    for (t = 1; t <= 2; t++)
        print "- predict, million rows/s per core with " t (t > 1 ? " threads: " : " thread: ") \
              speed(time["predict", t], t) ", with --proba " speed(time["proba", t], t)
}
