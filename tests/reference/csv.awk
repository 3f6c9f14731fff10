# reference/csv.awk - split one line of CSV whose quoted fields hold no line breaks.
#
# Returns the number of fields and fills field[1..n] with their texts, quotes undone.
function csv_split(line, field,    n, text, c)
{
    n = 0
    split("", field)
    while (1) {
        n++
        if (substr(line, 1, 1) == "\"") {
            line = substr(line, 2)
            text = ""
            while ((c = index(line, "\"")) > 0) {
                text = text substr(line, 1, c - 1)
                line = substr(line, c + 1)
                if (substr(line, 1, 1) != "\"")
                    break
                text = text "\""
                line = substr(line, 2)
            }
            field[n] = text
        } else {
            c = index(line, ",")
            field[n] = c > 0 ? substr(line, 1, c - 1) : line
            line = substr(line, length(field[n]) + 1)
        }
        if (substr(line, 1, 1) != ",")
            return n
        line = substr(line, 2)
    }
}
