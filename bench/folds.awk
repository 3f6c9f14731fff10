# bench/folds.awk - divide a table into stratified folds: PREFIX.F.train and PREFIX.F.test.
#
# Input: one or more files of one table. Variables:
#   form     arff; csv, whose first line names the columns; data, comma without names; blank,
#            words between blanks, without names; adult, promoters: data with the quirks of these
#   class    number of the class column, 0 for the last
#   folds    how many
#   seed     of the shuffle, 1 to 2147483646
#   prefix   of the files to write
#
# The rows of each class are shuffled and dealt to the folds in turn; the deal goes on where that
# of the class before stopped, so the folds differ by at most one row. The generator is Park and
# Miller's "minimal standard" (CACM 31, 1988), exact in doubles: every awk deals alike.
BEGIN {
    FS = form == "blank" ? " " : ","
    OFS = ","
    state = seed
    in_header = form == "arff"
}

function random(n) { # a whole number from 1 to n
    state = state * 16807 % 2147483647
    return 1 + int(state / 2147483647 * n)
}

{ sub(/[ \t\r]+$/, "") }
$0 == "" || /^[%|]/ { next }
in_header {
    header[++headers] = $0
    in_header = tolower($1) !~ /^@data/
    next
}
form == "arff" && /^@/ { next } # the header of a second file
form == "csv" && NR == 1 { header[++headers] = $0; next }
form == "adult" { gsub(/, /, ","); sub(/\.$/, "") }
form == "promoters" { # the nucleotides become columns
    sub(/^ */, "", $1)
    dna = $3
    gsub(/[ \t]/, "", dna)
    gsub(/[acgt]/, ",&", dna)
    $0 = $1 dna
}
form == "blank" { $1 = $1 }
{
    key = $(class > 0 ? class : NF)
    gsub(/^[ '"]+|[ '"]+$/, "", key)
    if (!(key in count))
        name[++classes] = key
    line[key, ++count[key]] = $0
}

END {
    if (classes < 2) {
        print "folds.awk: fewer than two classes" > "/dev/stderr"
        exit 1
    }
    for (f = 1; f <= folds; f++)
        for (i = 1; i <= headers; i++) {
            print header[i] > (prefix "." f ".train")
            print header[i] > (prefix "." f ".test")
        }
    for (c = 1; c <= classes; c++) {
        key = name[c]
        for (i = count[key]; i > 1; i--) {
            j = random(i)
            swap = line[key, i]; line[key, i] = line[key, j]; line[key, j] = swap
        }
        for (i = 1; i <= count[key]; i++) {
            mine = 1 + dealt++ % folds
            for (f = 1; f <= folds; f++)
                print line[key, i] > (prefix "." f "." (f == mine ? "test" : "train"))
        }
    }
}
