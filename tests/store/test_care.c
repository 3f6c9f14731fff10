/* tests/store/test_care.c - a store of mail: taught, added to, looked at, copied without unused
 * space. What it answers is compared with a model that has learned the same messages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/in_memory.h"
#include "support/model_bytes.h"

static const char pills[] = "Subject: pills\n\ncheap pills for you\n",
                  lunch[] = "Subject: lunch\n\nat noon as usual\n",
                  party[] = "Subject: party\n\ncheap wine at noon\n";

static cr_model *first_lesson(void)
{
    cr_model *model = NULL;
    cr_error err = {0};

    assert_ok(cr_filter_train(&model, pills, sizeof pills - 1, "spam", NULL, 0, &err), err);
    return model;
}

static void teach(cr_model *model, const char *message, const char *as)
{
    cr_error err = {0};

    assert_ok(cr_filter_teach(model, message, strlen(message), NULL, as, 1, NULL, NULL, &err), err);
}

static void assert_store_is(cr_store *store, const cr_model *model)
{
    cr_model *known = NULL;
    cr_error err = {0};

    assert_ok(cr_store_model(store, &known, &err), err);
    assert_same_model(known, model);
    cr_model_free(known);
}

/* The message as a row of a view is judged as the bytes are by the whole model. */
static void assert_judged_alike(cr_store *store, const cr_model *model)
{
    const cr_filter_limits limits = {.low = 0.1, .high = 0.99};
    cr_filter_judgement whole, one;
    cr_model *view = NULL;
    cr_row *row = NULL;
    size_t spam, seen;
    cr_error err = {0};

    assert_ok(cr_filter_spam_class(model, NULL, &spam, &err), err);
    assert_ok(cr_filter_judge(model, pills, sizeof pills - 1, spam, &limits, &whole, NULL, &err),
              err);
    assert_ok(cr_store_view_message(store, pills, sizeof pills - 1, &view, &row, &err), err);
    assert_ok(cr_filter_spam_class(view, NULL, &seen, &err), err);
    assert_ok(cr_filter_judge_row(view, row, seen, &limits, &one, NULL, &err), err);
    assert_true(one.spam == whole.spam && one.verdict == whole.verdict);
    assert_true(one.spam > 0.5);
    cr_row_free(row);
    cr_model_free(view);
}

static void lessons_and_a_copy(void **state)
{
    cr_model *first = first_lesson(), *model = first_lesson(), *other = NULL;
    cr_store *store = NULL, *copy = NULL;
    uint64_t messages = 0;
    cr_error err = {0};

    (void)state;
    assert_false(cr_store_is("mail.store"));
    assert_ok(cr_store_create("mail.store", first, NULL, &err), err);
    assert_true(cr_store_is("mail.store"));
    assert_ok(cr_store_open(&store, "mail.store", NULL, &err), err);

    /* a message learned, and then moved from one class to another */
    assert_ok(cr_store_teach_mail(store, lunch, sizeof lunch - 1, NULL, "spam", 0, &messages, &err),
              err);
    assert_int_equal(messages, 1);
    assert_ok(cr_store_teach_mail(store, lunch, sizeof lunch - 1, "spam", "ham", 1, NULL, &err),
              err);
    teach(model, lunch, "ham");
    assert_store_is(store, model);

    /* what another model has learned */
    assert_ok(cr_filter_train(&other, party, sizeof party - 1, "ham", NULL, 0, &err), err);
    assert_ok(cr_store_merge(store, other, &err), err);
    teach(model, party, "ham");
    assert_store_is(store, model);
    assert_judged_alike(store, model);

    assert_ok(cr_store_compact(store, "copy.store", &err), err);
    assert_ok(cr_store_open(&copy, "copy.store", NULL, &err), err);
    assert_store_is(copy, model);
    cr_store_close(copy);
    cr_store_close(store);
    cr_model_free(first);
    cr_model_free(model);
    cr_model_free(other);
}

/* A model with the words of some rows answers them as the whole model does. */
static void a_view_of_rows(void **state)
{
    static const char csv[] = "text,class\ncheap pills,spam\nat noon,ham\nlunch at noon,ham\n",
                      asked[] = "text\ncheap lunch\n";
    cr_model *model = model_with(csv, "nb", NULL, "text=text"), *view = NULL;
    cr_source *source = rows_with(asked, "text=text", NULL);
    cr_store *store = NULL;
    cr_row *a = NULL, *b = NULL;
    double p[2], q[2];
    int32_t decision;
    cr_error err = {0};

    (void)state;
    assert_ok(cr_store_create("texts.store", model, NULL, &err), err);
    assert_ok(cr_store_open(&store, "texts.store", NULL, &err), err);
    assert_ok(cr_store_view_source(store, source, NULL, &view, &err), err);
    assert_true(cr_model_words(view, 0) < cr_model_words(model, 0));
    assert_ok(cr_row_new(&a, model, &err), err);
    assert_ok(cr_row_new(&b, view, &err), err);
    assert_ok(cr_row_set_named(a, "text", "cheap lunch", &err), err);
    assert_ok(cr_row_set_named(b, "text", "cheap lunch", &err), err);
    assert_int_equal(cr_model_classify(model, a, p, &decision, NULL), CR_OK);
    assert_int_equal(cr_model_classify(view, b, q, &decision, NULL), CR_OK);
    assert_memory_equal(p, q, sizeof p);
    cr_row_free(a);
    cr_row_free(b);
    cr_model_free(view);
    cr_store_close(store);
    cr_source_close(source);
    cr_model_free(model);
}

/* Each run in a new folder: the stores of an earlier one are still there. */
static int begin(void **state)
{
    static char folder[] = "care.XXXXXX";

    (void)state;
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lessons_and_a_copy),
        cmocka_unit_test(a_view_of_rows),
    };

    return cmocka_run_group_tests(tests, begin, NULL);
}
