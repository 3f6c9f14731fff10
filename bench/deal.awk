# bench/deal.awk - deal items into a test part and the folds of a cross-validation, class by class.
#
# Input: class TAB item. Output: part TAB class TAB item, where the part is "test" or f0 ... f4.
# Each class is shuffled (Fisher and Yates, with the minimal standard generator of Park and Miller,
# whose products are exact in a double), then its first `share` go to the folds in turn.
BEGIN {
    FS = OFS = "\t"
    x = seed
    for (i = 0; i < 10; i++)
        x = x * 16807 % 2147483647
}
{
    n[$1]++
    item[$1, n[$1]] = substr($0, length($1) + 2)
    if (n[$1] == 1)
        class[++classes] = $1
}
function below(m) {
    x = x * 16807 % 2147483647
    return int(x / 2147483647 * m) + 1
}
END {
    for (j = 1; j <= classes; j++) {
        c = class[j]
        for (i = n[c]; i > 1; i--) {
            other = below(i)
            swap = item[c, i]
            item[c, i] = item[c, other]
            item[c, other] = swap
        }
        trained = int(n[c] * share + 0.5)
        for (i = 1; i <= n[c]; i++)
            print (i <= trained ? "f" i % 5 : "test"), c, item[c, i]
    }
}
