/* cli/verbs/refit.c - credence refit: change the knobs of a trained model. */
#include <stdlib.h>

#include "session/change.h"
#include "session/live.h"
#include "session/session.h"
#include "verbs/verbs.h"

static int run(request *r)
{
    const char *path = option_text(r, "output"), **params = NULL;
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;
    size_t count;
    change c;
    cr_lock *held = NULL;
    int code;

    params = option_pairs(r, "param", &count);
    if (path == NULL)
        path = r->operands[0];
    if (count == 0 && !option_given(r, "auto")) {
        code = misuse("credence help knobs lists what can be turned",
                      "refit needs at least one -p KEY=VALUE, or --auto");
        goto done;
    }
    if (option_text(r, "output") == NULL && cr_store_is(path)) {
        if (option_given(r, "auto")) {
            code = misuse("-p KEY=VALUE", "--auto is for a model file, and %s is a store", path);
            goto done;
        }
        code = refit_store(r, params, count);
        goto done;
    }
    if ((code = check_output(path, r, r->operand_count)) != EXIT_DONE)
        goto done;
    held = hold_model(path);
    if ((code = open_model(&model, r, 0)) != EXIT_DONE)
        goto done;
    change_begin(&c, model, "refitted");
    c.path = path;
    status = option_given(r, "auto") ? cr_model_refit_auto(model, &err) : CR_OK;
    if (status == CR_OK && count > 0)
        status = cr_model_refit(model, params, count, &err);
    if (status != CR_OK)
        code = complain(status, &err);
    else if ((code = save_model(model, path)) == EXIT_DONE)
        change_report(&c, r, model);
done:
    free(params);
    cr_model_free(model);
    cr_model_unlock(held);
    return code;
}

static const char *const about[] = {
    "Turns knobs of a trained model: smoothing, priors, variances. A model keeps what it has "
    "counted, so the data are not needed, and refitting gives what training with those knobs "
    "would have given.",
    "--auto chooses again what the counts are enough for, by leaving one out: of naive Bayes how "
    "each number is described (where the numbers were kept, as -p values=keep does), the width of "
    "kernels and the smoothing of words; of tan, kdb and pairs the smoothing m; of linear "
    "regression lambda, by the evidence. A choice among learners needs the rows: train again.",
    "Knobs that are not named stay as they are. credence help knobs lists them; credence show "
    "tells which are in use.",
    "--json gives model, rows_before, rows, classes_before, classes (none of which refitting "
    "changes), fingerprint, knobs{} with all knobs as they are now.",
    NULL,
};

static const option own[] = {
    {"param", 'p', OPTION_PAIR, "KEY=VALUE", "Knob to turn. May be repeated."},
    {"auto", 0, OPTION_FLAG, NULL, "Choose again what can be chosen without the data."},
    CHANGED_MODEL_OPTION,
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, NULL};

static const example examples[] = {
    {"credence refit animals.model -p smoothing=laplace", "Give unseen combinations a chance."},
    {"credence refit tax.model -p prior=uniform -o fair.model",
     "The same knowledge with equal priors, in another file."},
    {"credence refit tax.model -p prior=yes:0.02,no:0.98",
     "Priors of the place where the model will be used."},
    {0},
};

const verb verb_refit = {
    .name = "refit",
    .operands = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "turn the knobs of a trained model, without the data",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "train show",
    .run = run,
};
