/* cli/evaluate/numbers.c - the quality of numeric answers, for people. */
#include "evaluate/numbers.h"

#include "out/out.h"
#include "out/sheet.h"

void numbers_print(const cr_regression_metrics *m, bool csv)
{
    cr_sheet *sheet = NULL;
    const cr_status status = cr_regression_sheet(&sheet, m, NULL);

    sheet = sheet_made(status, sheet);
    if (csv)
        sheet_csv(sheet);
    else
        sheet_print(sheet, SIZE_MAX, 0, false);
}

int check_no_rule(const request *r, const char *learner)
{
    static const char *const options[] = {"cost", "reject", "priors"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (option_given(r, options[i]))
            return misuse(NULL, "--%s is about classes, and %s predicts a number", options[i],
                          learner);
    return EXIT_DONE;
}
