/* cli/verbs/split.c - credence split: rows to learn from and rows to test on, as two tables. */
#include "options/split.h"
#include "out/file.h"
#include "out/json.h"
#include "session/session.h"
#include "verbs/verbs.h"

typedef struct outputs {
    out_file file[2]; /* by side */
} outputs;

static cr_status write_side(void *context, cr_side side, const char *bytes, size_t size)
{
    outputs *o = context;

    return fwrite(bytes, 1, size, o->file[side].file) == size ? CR_OK : CR_EIO;
}

static void report(const request *r, const cr_split *split, const char *const path[2])
{
    const uint64_t train = cr_split_rows(split, CR_SIDE_TRAIN),
                   test = cr_split_rows(split, CR_SIDE_TEST);
    cr_json j;

    if (!r->json) {
        note("%llu row%s to %s, %llu to %s", (unsigned long long)train, plural(train), path[0],
             (unsigned long long)test, path[1]);
        return;
    }
    json_start(&j, stdout);
    cr_json_object(&j, NULL, CR_JSON_BLOCK);
    cr_json_text(&j, "train", path[0]);
    cr_json_number(&j, "train_rows", (double)train);
    cr_json_text(&j, "test", path[1]);
    cr_json_number(&j, "test_rows", (double)test);
    json_end(&j);
}

/* Write errors are reported when the outputs are closed. */
static int write_sides(const request *r, const cr_split *split, const char *const path[2])
{
    cr_source *source = NULL;
    cr_error err = {0};
    cr_status status;
    outputs o;
    int code = open_data(&source, r, 0, NULL), closed;

    if (code != EXIT_DONE)
        return code;
    if ((code = out_file_open(&o.file[0], path[0])) != EXIT_DONE) {
        close_data(&source);
        return code;
    }
    if ((code = out_file_open(&o.file[1], path[1])) != EXIT_DONE) {
        out_file_close(&o.file[0], code);
        close_data(&source);
        return code;
    }
    status = cr_split_write(split, source, write_side, &o, &err);
    if (status != CR_OK && !ferror(o.file[0].file) && !ferror(o.file[1].file))
        code = fail_data(r, &source, status, &err);
    close_data(&source);
    closed = out_file_close(&o.file[0], code);
    code = out_file_close(&o.file[1], closed);
    return code;
}

static int run(request *r)
{
    const char *const path[2] = {option_text(r, "train"), option_text(r, "test")};
    cr_split *split = NULL;
    int code;

    if (path[0] == NULL || path[1] == NULL)
        return misuse("credence split DATA --train train.csv --test test.csv",
                      "split needs two files to write");
    if (r->operand_count == 0)
        return misuse("name a file", "split reads DATA twice, which standard input cannot");
    for (int side = 0; side < 2; side++)
        if ((code = check_output(path[side], r, 0)) != EXIT_DONE)
            return code;
    code = make_split(&split, r, 0, NULL);
    if (code == EXIT_DONE)
        code = write_sides(r, split, path);
    if (code == EXIT_DONE)
        report(r, split, path);
    cr_split_free(split);
    return code;
}

static const char *const about[] = {
    "Parts a table into rows to learn from and rows to test on, and writes both as CSV with all "
    "columns, in the order in which they stand. Each class has its share of both sides, to within "
    "one row.",
    "--group keeps rows of one person, day or document together: what is tested then comes from "
    "groups that were not learned. --order and --last hold out the newest rows, as they would come "
    "in use.",
    "The same DATA, options and --seed give the same split everywhere. credence train --split and "
    "credence test --split do the same without writing files.",
    "--json tells what was done: train, train_rows, test, test_rows.",
    NULL,
};

static const option own[] = {
    {"train", 0, OPTION_TEXT, "FILE", "Where to write the rows to learn from. All or nothing."},
    {"test", 0, OPTION_TEXT, "FILE", "Where to write the rows to test on. All or nothing."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &split_options, &column_options,
                                             &data_options, NULL};

static const example examples[] = {
    {"credence split iris.csv --train known.csv --test new.csv",
     "A third of each species is held out."},
    {"credence split tax.csv --split 0.2 --seed 7 --train known.csv --test new.csv",
     "A fifth, drawn another way."},
    {"credence split visits.csv --group patient --train known.csv --test new.csv",
     "All visits of a patient are on one side."},
    {0},
};

const verb verb_split = {
    .name = "split",
    .operands = "DATA...",
    .most = SIZE_MAX,
    .summary = "part a table into rows to learn from and rows to test on",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "train test cv",
    .run = run,
};
