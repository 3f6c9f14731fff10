#!/usr/bin/env bash
# help.sh - help, man pages and completions are generated from the table of verbs and are valid.
. "$(dirname "$0")/lib.bash"

# --- the overview and the verbs ---------------------------------------------------------------
expect 0 credence --version
says out "credence "
expect 0 credence --help
says out "Verbs"
silent err
expect 0 credence help
says out "A first walk"
expect 2 credence
silent out
says err "Usage"

expect 0 credence help --list
verbs=$(cat out)
for verb in train predict test explain show learn unlearn merge refit help; do
    says out "$verb"
done
for verb in $verbs; do
    expect 0 credence "$verb" --help
    cp out help.txt
    for part in Usage Options Examples "See also" --json --quiet --threads --seed --memory; do
        says help.txt "$part"
    done
    expect 0 credence help "$verb"
    same "credence help $verb" "$(cat out)" "$(cat help.txt)"
    # Nothing is wider than the terminal, except commands to be copied.
    COLUMNS=80 credence help "$verb" | sed '/^Examples/,$d' | awk 'length($0) > 80' >wide
    silent wide
    # Every other verb it points to exists.
    for other in $(sed -n '/^See also/,$s/^  credence help //p' help.txt); do
        [[ " ${verbs//$'\n'/ } " == *" $other "* ]] || fail "$verb points to $other"
    done
done

# --- mistyped words get a suggestion and exit status 2 ----------------------------------------
expect 2 credence trian
says err "did you mean credence train?"
expect 2 credence nothing-like-it
says err "credence help lists the verbs"
expect 2 credence help prdict
says err "did you mean credence help predict?"
expect 2 credence --json
says err "a verb comes before the options"

# --- knobs and formats ------------------------------------------------------------------------
expect 0 credence help knobs
for knob in smoothing alpha prior variance variance-estimate variance-floor gaussian unseen; do
    says out "$knob="
done
expect 0 credence help knobs nb
says out "laplace-classes, m-estimate, dirichlet]"
expect 0 credence help --json knobs nb
says out '"choices": ["plugin", "predictive"]'
for page in knobs formats; do
    COLUMNS=60 credence help $page | awk 'length($0) > 62' >wide
    silent wide
done
expect 2 credence help knobs nonesuch
says err "there is no learner 'nonesuch'"
expect 0 credence help formats
for format in csv tsv arff jsonl libsvm; do
    says out "$format"
done

# --- man pages --------------------------------------------------------------------------------
pages=(credence.1)
credence help --man >credence.1 || fail "no man page of credence"
for verb in $verbs; do
    credence help --man "$verb" >"credence-$verb.1" || fail "no man page of $verb"
    pages+=("credence-$verb.1")
done
for page in "${pages[@]}"; do
    for section in NAME SYNOPSIS DESCRIPTION "EXIT STATUS"; do
        says "$page" "$section"
    done
    if type -P groff >/dev/null; then
        groff -man -Tutf8 -ww -z "$page" 2>warnings
        silent warnings
    fi
done

# --- completions ------------------------------------------------------------------------------
for shell in bash zsh fish; do
    expect 0 credence help --completion $shell
    cp out completion.$shell
    says completion.$shell train
    says completion.$shell output
    if type -P $shell >/dev/null; then
        $shell -n completion.$shell || fail "the $shell completion does not parse"
    fi
done
expect 2 credence help --completion tcsh
says err "bash|zsh|fish"

# The completions of bash for words of which the last is being typed.
offers() {
    bash -c 'compopt() { :; }; source completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _credence; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
same "verbs that begin with tr" "$(offers credence tr)" train
same "options that begin with --pro" "$(offers credence predict --pro)" --proba
same "colours" "$(offers credence show --color a)" $'auto\nalways'
same "colours after =" "$(offers credence show --color = n)" never
same "learners" "$(offers credence train -m nb)" nb
same "knobs" "$(offers credence train -p smooth)" smoothing=
same "choices of a knob" "$(offers credence refit -p gaussian = p)" $'plugin\npredictive'
same "all choices of a knob" "$(offers credence refit -p gaussian =)" $'plugin\npredictive'
says completion.fish gaussian=predictive
says completion.zsh gaussian=predictive
same "formats" "$(offers credence train -m nb -f jso)" jsonl
same "pages" "$(offers credence help kn)" knobs
same "no option of another verb" "$(offers credence train -m nb --proba)" ""
# In a narrow window only the spelling of options and examples is wider.
for verb in $(credence help --list); do
    COLUMNS=44 credence help "$verb" | sed '/^Usage/,/^$/d; /^Examples/,$d' | tail -n +2 >narrow
    same "lines of $verb that are too wide" "$(grep -vE '^ {2,6}-' narrow | LC_ALL=C.UTF-8 grep -cE '^.{45}')" 0
done

# The contract names every verb.
for verb in $(credence help --list); do
    says "$CREDENCE_SOURCE/docs/command.md" "| \`$verb\` |"
done

finish
