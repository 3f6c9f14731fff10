#!/usr/bin/env bash
# bench/generative.sh - generative against discriminative: naive Bayes and logistic regression on the
# same rows, few and many.
#
#   CREDENCE_DATA=FOLDER bench/generative.sh CREDENCE [simulations] [uci]
#
# simulations: three worlds of two classes and ten reals. (1) the features are independent given the
# class, (2) the classes share the variances. GNB has a variance for each class, GNB2 one for both.
# uci: the data sets of Ng & Jordan (2002) that are at hand; NB leads when its error is smaller with 4,
# 8, 16 or 32 rows (the first of these is shown), LR has caught up when its error is no larger at the end.
set -eu
LC_ALL=C
export LC_ALL
bin=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- simulations uci
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Rows of WORLD: both, first (independent, own variances), neither (correlated too).
world() { # WORLD ROWS SEED
    awk -v world="$1" -v rows="$2" -v seed="$3" '
        function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }
        BEGIN {
            srand(seed)
            for (j = 0; j < 10; j++) printf "x%d,", j
            print "class"
            for (i = 0; i < rows; i++) {
                c = rand() < 0.5
                common = normal()
                for (j = 0; j < 10; j++) {
                    sd = world == "both" ? 1 : c ? 1 + j / 10 : 1.5 - j / 20
                    z = world == "neither" && j < 5 ? 0.8 * common + 0.6 * normal() : normal()
                    printf "%.6f,", c * (0.2 + j / 20) + sd * z
                }
                print c ? "yes" : "no"
            }
        }'
}

errors() { # LEARNERS FILE SIZES REPEATS ARGUMENTS...
    local learners=$1 file=$2 sizes=$3 repeats=$4
    shift 4
    "$bin" curve "$file" "$@" -m "$learners" --sizes "$sizes" -r "$repeats" --calibrate none --csv -q 2>"$work/err" ||
        { cat "$work/err" >&2; return 1; }
}

simulations() {
    local gnb=nb:variance=class-feature gnb2=nb:variance=feature lr=logistic:lambda=0.1
    printf '%-10s %8s %8s %8s %8s   error, %%\n' world rows GNB GNB2 LR
    for which in both first neither; do
        world $which 30000 1 >"$work/sim.csv"
        errors "$gnb,$gnb2,$lr" "$work/sim.csv" 20,50,200,1000,20000 5 | awk -F, -v world=$which '
            NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next}
            {e[$at["size"], ++n[$at["size"]]] = 100 * (1 - $at["accuracy"])
             if (n[$at["size"]] == 1) size[++sizes] = $at["size"]}
            END {for (k = 1; k <= sizes; k++)
                printf "%-10s %8d %8.2f %8.2f %8.2f\n", world, size[k], e[size[k], 1], e[size[k], 2],
                    e[size[k], 3]}'
    done
}

contest() { # NAME FILE MOST ARGUMENTS...
    local name=$1 file=$2 size=$3 small=4,8,16,32
    shift 3
    [ "$size" -gt 32 ] || small=4,8
    errors nb:variance=feature,logistic:lambda=1 "$file" "$small,$size" 40 "$@" |
        awk -F, -v name="$name" '
            NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next}
            {s = $at["size"]; e[s, ++n[s]] = 100 * (1 - $at["accuracy"])
             if (n[s] == 1) size[++sizes] = s}
            END {b = size[sizes]
                for (k = 1; k <= 4 && k < sizes && !lead; k++)
                    if (e[size[k], 1] < e[size[k], 2]) lead = size[k]
                a = lead ? lead : size[1]
                printf "%-16s %5d %7.1f %7.1f   %6d %7.1f %7.1f   %s, %s\n", name, a, e[a, 1],
                    e[a, 2], b, e[b, 1], e[b, 2], lead ? "NB leads" : "LR leads",
                    e[b, 2] <= e[b, 1] ? "LR ends lower" : "NB ends lower"}' || true
}

numbers() { # COLUMN...
    for c in "$@"; do printf -- '--type %s=real ' "$c"; done
}

uci() {
    local t=$CREDENCE_DATA/table
    printf '%-16s %5s %7s %7s   %6s %7s %7s\n' "error in %" rows NB LR rows NB LR
    contest "pima" "$t/arff/diabetes.arff" 500
    contest "ionosphere" "$t/arff/ionosphere.arff" 230
    contest "sonar" "$t/arff/sonar.arff" 135
    # shellcheck disable=SC2046
    contest "liver" "$t/uci/bupa.data" 225 -f csv -n $(numbers c1 c2 c3 c4 c5 c6)
    awk 'NF == 14 {for (i = 1; i < 14; i++) printf "%s,", $i; print ($14 > 21.2 ? "dear" : "cheap")}' \
        "$t/uci/housing.data" >"$work/boston.csv"
    # shellcheck disable=SC2046
    contest "boston" "$work/boston.csv" 330 -n $(numbers c1 c2 c3 c5 c6 c7 c8 c9 c10 c11 c12 c13)
    for pair in 0,1 2,3; do
        awk -F, -v p="$pair" 'BEGIN {split(p, d, ",")} $65 == d[1] || $65 == d[2]' \
            "$t/uci/optdigits.tra" >"$work/digits.csv"
        # shellcheck disable=SC2046
        contest "optdigits $pair" "$work/digits.csv" 500 -n $(numbers $(seq -f c%g 64))
    done
    awk -F ', *' -v OFS=, 'NF == 15 {print $1, $3, $5, $11, $12, $13, $15}' "$t/adult/adult.data" \
        >"$work/adult.csv"
    # shellcheck disable=SC2046
    contest "adult, reals" "$work/adult.csv" 10000 -n $(numbers c1 c2 c3 c4 c5 c6)
    awk -F ', *' -v OFS=, 'NF == 15 {print $2, $4, $6, $7, $8, $9, $10, $14, $15}' \
        "$t/adult/adult.data" >"$work/adult.csv"
    contest "adult, symbols" "$work/adult.csv" 10000 -n
    contest "breast cancer" "$t/arff/breast.cancer.arff" 190
    contest "votes" "$t/arff/vote.arff" 290
    contest "lymphography" "$t/arff/lymph.arff" 98
    contest "lenses" "$t/arff/contact-lenses.arff" 16
    awk -F ', *' '{gsub(/[ \t]/, ""); n = length($3); printf "%s", $1
        for (i = 1; i <= n; i++) printf ",%s", substr($3, i, 1); print ""}' "$t/uci/promoters.data" \
        >"$work/promoters.csv"
    contest "promoters" "$work/promoters.csv" 70 -n -t c1
}

for part in "$@"; do
    "$part"
done
