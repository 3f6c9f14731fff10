/* examples/mail_filter.c - judge, mark and correct mail inside a program of your own.
 *
 *     cc mail_filter.c $(pkg-config --cflags --libs credence) -o mail_filter
 *
 * A first model is trained on one message, and the other class is taught. A new message is judged,
 * marked with a header field and described as JSON; then the verdict is corrected, which takes the
 * message back from one class and learns it as the other.
 */
#include <credence/credence.h>
#include <stdio.h>
#include <string.h>

static const char good[] = "From: anna@example.org\nSubject: minutes of Tuesday\n\n"
                           "Attached are the minutes; please correct what I misheard.\n";
static const char bad[] = "From: win@example.com\nSubject: you have won\n\n"
                          "Claim your free prize today, free of charge, click now.\n";
static const char fresh[] = "From: lotto@example.com\nSubject: free prize\n\n"
                            "Click now and claim it today.\n";

static int complain(const cr_error *err)
{
    char text[1024];

    fprintf(stderr, "%s\n", cr_error_text(err, text, sizeof text));
    return 1;
}

/* P(spam) of a message, printed with the verdict; the mark and the JSON of it go to out. */
static cr_status judge(const cr_model *model, const char *message, cr_output *out, double *spam,
                       cr_error *err)
{
    cr_filter_judgement judgement;
    cr_filter_limits limits;
    char line[CR_FILTER_LINE];
    double posterior[2];
    size_t class_of_spam;
    cr_status st;

    if ((st = cr_filter_limits_read(&limits, NULL, err)) != CR_OK ||
        (st = cr_filter_spam_class(model, NULL, &class_of_spam, err)) != CR_OK ||
        (st = cr_filter_judge(model, message, strlen(message), class_of_spam, &limits, &judgement,
                              posterior, err)) != CR_OK)
        return st;
    *spam = judgement.spam;
    printf("%s, P(spam) = %.3f\n", cr_filter_verdict_name(judgement.verdict), judgement.spam);
    cr_filter_mark(message, strlen(message), cr_filter_line(line, &judgement, "mail.model"), out);
    cr_filter_json(model, "mail.model", &judgement, &limits, posterior, out);
    return CR_OK;
}

int main(void)
{
    cr_output *out = NULL;
    cr_model *model = NULL;
    double before = 0, after = 0;
    uint64_t messages = 0;
    const char *data;
    size_t size;
    cr_error err;
    int failed;

    if (cr_output_new(&out, NULL, NULL, &err) != CR_OK)
        return complain(&err);
    failed =
        cr_filter_train(&model, good, strlen(good), "ham", NULL, 0, &err) != CR_OK ||
        cr_filter_teach(model, bad, strlen(bad), NULL, "spam", 0, NULL, NULL, &err) != CR_OK ||
        judge(model, fresh, out, &before, &err) != CR_OK ||
        cr_filter_teach(model, fresh, strlen(fresh), NULL, "spam", 0, NULL, NULL, &err) != CR_OK ||
        cr_filter_teach(model, fresh, strlen(fresh), "spam", "ham", 0, NULL, &messages, &err) !=
            CR_OK ||
        judge(model, fresh, out, &after, &err) != CR_OK;
    data = cr_output_data(out, &size);
    if (failed)
        complain(&err);
    else
        fwrite(data, 1, size, stdout);
    cr_model_free(model);
    cr_output_free(out);
    /* The prize is spam until the correction says that it is wanted. */
    return failed || messages != 1 || !(before > 0.5) || !(after < before);
}
