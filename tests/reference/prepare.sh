#!/bin/sh
# reference/prepare.sh - turn original UCI files into the tables that the reference cases read.
#
#   prepare.sh RECIPE DATA OUT
#
# DATA is the folder of data sets, OUT an existing folder that receives the tables. Only
# conversions that the reading program would otherwise have to be told about are made here;
# cases whose original file can be read as it is have no recipe. The same script feeds
# scikit-learn, R and Credence, so all of them see the same bytes.
set -eu
LC_ALL=C
export LC_ALL

recipe=$1
uci=$2/table/uci
adult=$2/table/adult
out=$3

adult_header=age,workclass,fnlwgt,education,education-num,marital-status,occupation
adult_header=$adult_header,relationship,race,sex,capital-gain,capital-loss,hours-per-week
adult_header=$adult_header,native-country,income
votes_header=party,handicapped-infants,water-project,budget-resolution,physician-fee
votes_header=$votes_header,el-salvador,religious-schools,anti-satellite,contras,mx-missile
votes_header=$votes_header,immigration,synfuels,education,superfund,crime,duty-free,south-africa
mushroom_header=class,cap-shape,cap-surface,cap-color,bruises,odor,gill-attachment,gill-spacing
mushroom_header=$mushroom_header,gill-size,gill-color,stalk-shape,stalk-root,surface-above
mushroom_header=$mushroom_header,surface-below,color-above,color-below,veil-type,veil-color
mushroom_header=$mushroom_header,ring-number,ring-type,spore-print-color,population,habitat

# Drop the remark line, the empty last line, the blank after each comma and the dot after each
# label of the test file. MISSING replaces a lone question mark.
adult_table() { # FILE MISSING
    awk -F ', *' -v OFS=, -v missing="$2" -v header="$adult_header" '
        BEGIN { print header }
        /^\|/ || NF < 15 { next }
        {
            for (i = 1; i <= NF; i++)
                if ($i == "?") $i = missing
            sub(/\.$/, "", $NF)
            $1 = $1
            print
        }' "$1"
}

# A table whose unknown answers are a value like any other, which is how a program without
# missing values has to treat them.
absent_table() { # FILE HEADER
    awk -F , -v OFS=, -v header="$2" '
        BEGIN { print header }
        { for (i = 1; i <= NF; i++) if ($i == "?") $i = "absent"; $1 = $1; print }' "$1"
}

# The 232 members who answered every question, with y as 1 and n as 0.
votes_binary() {
    awk -F , -v OFS=, -v header="$votes_header" '
        BEGIN { print header }
        /\?/ { next }
        { for (i = 2; i <= NF; i++) $i = ($i == "y"); print }' "$uci/house-votes-84.data"
}

# One yes/no column for each value of each mushroom feature, in order of first appearance. The
# one feature with a single value (veil-type) is left out: nothing varies in it.
mushroom_indicators() {
    awk -F , -v header="$mushroom_header" '
        NR == FNR {
            for (i = 2; i <= NF; i++)
                if (!((i, $i) in seen)) { seen[i, $i]; value[i, ++values[i]] = $i }
            next
        }
        FNR == 1 {
            split(header, name, ",")
            line = name[1]
            for (i = 2; i <= NF; i++)
                for (v = 1; values[i] > 1 && v <= values[i]; v++)
                    line = line "," name[i] "_" value[i, v]
            print line
        }
        {
            line = $1
            for (i = 2; i <= NF; i++)
                for (v = 1; values[i] > 1 && v <= values[i]; v++)
                    line = line "," ($i == value[i, v] ? "yes" : "no")
            print line
        }' "$uci/agaricus-lepiota.data" "$uci/agaricus-lepiota.data"
}

# Both kinds of row weights: 1/2, 1, 3/2, 2, 1/2, ... in turn, as ARFF instance weights and as a
# column.
iris_weighted() {
    printf '@relation iris\n'
    printf '@attribute %s numeric\n' sepal-length sepal-width petal-length petal-width
    printf '@attribute class {Iris-setosa, Iris-versicolor, Iris-virginica}\n@data\n'
    awk -F , 'NF > 1 { print $0 ", {" 0.5 + (rows++ % 4) / 2 "}" }' "$uci/iris.data"
}

votes_weighted() {
    absent_table "$uci/house-votes-84.data" "$votes_header" |
        awk 'NR == 1 { print $0 ",weight"; next } { print $0 "," 0.5 + (rows++ % 4) / 2 }'
}

case $recipe in
adult)
    adult_table "$adult/adult.data" '?' > "$out/adult.csv"
    adult_table "$adult/adult.test" '?' > "$out/adult-test.csv" ;;
adult-absent)
    adult_table "$adult/adult.data" absent > "$out/adult.csv"
    adult_table "$adult/adult.test" absent > "$out/adult-test.csv" ;;
votes-absent)
    absent_table "$uci/house-votes-84.data" "$votes_header" > "$out/votes.csv" ;;
votes-binary)
    votes_binary > "$out/votes.csv" ;;
votes-weighted)
    votes_weighted > "$out/votes.csv" ;;
mushroom-absent)
    absent_table "$uci/agaricus-lepiota.data" "$mushroom_header" > "$out/mushroom.csv" ;;
mushroom-indicators)
    mushroom_indicators > "$out/mushroom.csv" ;;
iris-weighted)
    iris_weighted > "$out/iris.arff" ;;
*)
    echo "prepare.sh: no recipe is called $recipe" >&2
    exit 2 ;;
esac
