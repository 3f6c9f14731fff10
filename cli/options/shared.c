/* cli/options/shared.c - the options that verbs share. */
#include "options/options.h"

static const option common[] = {
    {"json", 0, OPTION_FLAG, NULL, "Write JSON for programs: one object, or one a line for rows."},
    {"csv", 0, OPTION_FLAG, NULL, "Write the main table as CSV with full precision."},
    {"quiet", 'q', OPTION_FLAG, NULL, "No notes, no progress, no report of what was learned."},
    {"color", 0, OPTION_CHOICE, "auto|always|never",
     "Colours in the output. Default: auto, on a terminal unless NO_COLOR is set."},
    {"threads", 0, OPTION_COUNT, "N",
     "Threads to use. The result does not depend on it. Default: one per core."},
    {"seed", 0, OPTION_COUNT, "N", "Seed of random numbers. Default: 0."},
    {"memory", 0, OPTION_SIZE, "SIZE",
     "Memory limit of the statistics, or of exact inference in query, such as 800M or 1.5G; for "
     "predictions of a network, its knob memory sets the limit. Default: three quarters of the "
     "machine's."},
    {"help", 'h', OPTION_FLAG, NULL, "Show this page."},
    {"version", 'V', OPTION_FLAG, NULL, "Show the version."},
    {0},
};

const option_group common_options = {"Options of every verb", common};

static const option data[] = {
    {"format", 'f', OPTION_TEXT, "NAME",
     "Format of DATA: credence help formats lists them. Default: by name and content."},
    {"delimiter", 'd', OPTION_BYTE, "CHAR",
     "Between the fields of csv: one character, or tab, comma, semicolon, space, pipe. Default: "
     "the one that fits the first lines."},
    {"no-header", 'n', OPTION_FLAG, NULL,
     "The first line of csv is data. Columns are then called c1, c2, ... unless --columns names "
     "them."},
    {"columns", 0, OPTION_TEXT, "A,B,C", "Names of the columns, in place of those in the file."},
    {"comment", 0, OPTION_BYTE, "CHAR", "Skip lines that begin with this character."},
    {"missing", 0, OPTION_TEXT, "A,B,C",
     "Texts that mean a missing value. Default: what the model was trained with; in training "
     "empty, ?, NA and NaN."},
    {"index-base", 0, OPTION_CHOICE, "0|1", "Number of the first feature in libsvm. Default: 1."},
    {"member", 0, OPTION_TEXT, "PATH",
     "Read only this member of an archive or folder, or the members below it. Default: all."},
    {"classes", 0, OPTION_TEXT, "OLD=NEW,...",
     "Rename classes; OLD= leaves a class out, =NEW names rows without one, *=NEW names all "
     "others. Write = and , in a name as \\= and \\,."},
    {"part", 0, OPTION_TEXT, "K/N",
     "Read only part K of N, of about the same size, such as 3/16. The models of all parts merge "
     "into that of the whole."},
    {"local", 0, OPTION_FLAG, NULL,
     "With credence mpi: every process reads files of its own; %r in their names is its number, "
     "from 0."},
    {0},
};

const option_group data_options = {"How to read DATA", data};

static const option column[] = {
    {"target", 't', OPTION_TEXT, "COLUMN",
     "Column to learn, by name or by number from 1. Default: the last."},
    {"weight", 'w', OPTION_TEXT, "COLUMN", "Column that says how many times each row counts."},
    {"type", 0, OPTION_PAIR, "COLUMN=real|symbol|text|ignore",
     "Kind of a column, instead of the one its values suggest. May be repeated."},
    {"ignore", 0, OPTION_TEXT, "A,B", "Columns to leave out: --type A=ignore --type B=ignore."},
    {0},
};

const option_group column_options = {"What the columns are", column};

static const option basis[] = {
    {"basis", 0, OPTION_TEXT, "ITEM,...",
     "Add products of numbers as columns, which the model then computes by itself: polynomial:N "
     "(powers of each up to N), interactions (each two), or by name, such as x^2 and x*y."},
    {0},
};

const option_group basis_options = {"Columns to add", basis};
