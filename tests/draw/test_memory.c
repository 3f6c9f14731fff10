/* tests/draw/test_memory.c - every allocation of a picture or a report fails once: then the status
 * says so, or the bytes are those that come out when memory suffices.
 *
 * What is expected is the picture itself, drawn before any allocation fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "credence/credence.h"

static const char mixed[] = "colour,length,width,text,class\n"
                            "red,1.5,2,a dog barks at night,one\n"
                            "green,2.5,1,the cat sleeps all day,two\n"
                            "red,1.25,3,a dog sleeps at night,one\n"
                            "blue,,1.5,the cat barks all day,two\n"
                            "green,3.5,2.5,a bird sings at noon,two\n"
                            "blue,3.25,,the bird sings all day,one\n"
                            "red,1.75,2.25,the dog barks all day,one\n"
                            "green,2.25,1.25,a cat sleeps at night,two\n";
static const char reals[] = "a,b,class\n"
                            "1,2,u\n2,1,v\n3,5,u\n4,3.5,v\n5,2,u\n6,7,v\n7,4.5,u\n8,1,v\n";
static const char counts[] = "a,b,class\n"
                             "1,2,u\n2,1,v\n3,5,u\n4,3,v\n5,2,u\n6,7,v\n7,4,u\n8,1,v\n";
static const char symbols[] = "colour,size,shape,class\n"
                              "red,big,round,one\ngreen,small,flat,two\nred,small,round,one\n"
                              "blue,big,flat,two\ngreen,big,round,one\nblue,small,flat,two\n"
                              "red,big,flat,two\ngreen,small,round,one\n";
static const char numbers[] = "a,b,c,y\n"
                              "1,2,x,3.5\n2,1,z,4.25\n3,5,x,9\n4,3,z,8.5\n5,2,x,9.25\n6,7,z,15\n"
                              "7,4,x,13.5\n8,1,z,11\n";

/* A model and the pictures of it; "report" is the page. */
typedef struct subject {
    const char *learner, *param, *data, *type, *kind[8];
} subject;

static const subject subjects[] = {
    {"nb",
     NULL,
     mixed,
     "text=text",
     {"densities", "reliability", "roc", "mistake", "words", "report"}},
    {"nb", "real=kde", reals, NULL, {"densities", "report"}},
    {"poisson", NULL, counts, NULL, {"densities", "pr", "report"}},
    {"gda", NULL, reals, NULL, {"densities", "surface", "means", "mistake", "confusion", "report"}},
    {"linear", NULL, numbers, NULL, {"predicted", "residuals", "errors", "coverage", "report"}},
    {"tan", NULL, symbols, NULL, {"densities", "surface", "report"}},
    {"network", NULL, symbols, NULL, {"network"}},
    {"tree", NULL, symbols, NULL, {"tree", "report"}},
    {"logistic", NULL, reals, NULL, {"report"}},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static const cr_run run = {.threads = 1};

static cr_source *open_rows(const subject *s)
{
    const cr_source_options options = {.types = s->type != NULL ? &s->type : NULL,
                                       .type_count = s->type != NULL};
    cr_source *source = NULL;
    cr_error err = {0};

    if (cr_source_open_memory(&source, s->data, strlen(s->data), "rows.csv", &options, &err) !=
        CR_OK)
        fail_msg("%s", err.message);
    return source;
}

static cr_model *trained(const subject *s)
{
    cr_source *source = open_rows(s);
    cr_model *model = NULL;
    cr_error err = {0};

    if (cr_model_train(&model, source, s->learner, &s->param, s->param != NULL, &run, NULL, &err) !=
        CR_OK)
        fail_msg("%s: %s", s->learner, err.message);
    cr_source_close(source);
    return model;
}

/* --- what is drawn ---------------------------------------------------------------------------- */

typedef struct bytes {
    char *data;
    size_t size;
} bytes;

static void add(bytes *to, const char *data, size_t size)
{
    if (size == 0)
        return;
    to->data = realloc(to->data, to->size + size);
    assert_non_null(to->data);
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

static void add_output(bytes *to, const cr_output *out)
{
    size_t size = 0;
    const char *data = cr_output_data(out, &size);

    add(to, data, size);
}

/* The figure, and its numbers. */
static cr_status picture(const char *kind, const cr_model *model, cr_source *source, bytes *got,
                         cr_error *err)
{
    const cr_draw_options how = {.margins = 1}; /* of surfaces */
    cr_figure *figure = NULL;
    cr_output *out = NULL;
    cr_json j;
    const char *svg = NULL;
    size_t size = 0;
    cr_status st = cr_figure_new(&figure, err);

    if (st == CR_OK)
        st = cr_output_new(&out, NULL, NULL, err);
    if (st == CR_OK) {
        cr_json_start(&j, out);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
        st = cr_draw(figure, kind, model, source, &how, &run, &j, NULL, NULL, err);
        cr_json_end(&j);
    }
    if (st == CR_OK)
        st = cr_output_flush(out);
    if (st == CR_OK && (st = cr_figure_draw(figure, NULL, &svg, &size, err)) == CR_OK) {
        add(got, svg, size);
        add_output(got, out);
    }
    cr_output_free(out);
    cr_figure_free(figure);
    return st;
}

/* The page, and its JSON. */
static cr_status report(const cr_model *model, cr_source *source, bytes *got, cr_error *err)
{
    cr_report *r = NULL;
    cr_output *page = NULL, *json = NULL;
    cr_status st = cr_report_new(&r, model, source, NULL, &run, err);

    if (st == CR_OK)
        st = cr_output_new(&page, NULL, NULL, err);
    if (st == CR_OK)
        st = cr_output_new(&json, NULL, NULL, err);
    if (st == CR_OK)
        st = cr_report_html(r, page, NULL, err);
    if (st == CR_OK)
        st = cr_report_json(r, NULL, json);
    if (st == CR_OK) {
        add_output(got, page);
        add_output(got, json);
    }
    cr_output_free(page);
    cr_output_free(json);
    cr_report_free(r);
    return st;
}

/* With allocation n failing, counted after the rows are open; *through: there are fewer. The model
 * is loaded anew, so that it has read nothing yet that it reads later. */
static cr_status attempt(const subject *s, const char *kind, const bytes *saved, long n, bytes *got,
                         int *through, cr_error *err)
{
    cr_source *source = open_rows(s);
    cr_model *model = NULL;
    cr_status st;

    assert_int_equal(cr_model_load_bytes(&model, saved->data, saved->size, 0, err), CR_OK);
    cr__memory_fail_after = n;
    st = strcmp(kind, "report") == 0 ? report(model, source, got, err)
                                     : picture(kind, model, source, got, err);
    *through = cr__memory_fail_after >= 0;
    cr__memory_fail_after = -1;
    cr_model_free(model);
    cr_source_close(source);
    return st;
}

/* --- the sweep -------------------------------------------------------------------------------- */

/* Several errors are reported together: finding them one by one takes long. */
static int wrong;

static void sweep(const subject *s, const char *kind, const bytes *saved)
{
    bytes want = {0};
    cr_error err = {0};
    int through, told = 0;
    const long sparse = strcmp(kind, "surface") == 0 ? 2 : 64; /* thousands of answers each */

    if (attempt(s, kind, saved, -1, &want, &through, &err) != CR_OK)
        fail_msg("%s %s: %s", s->learner, kind, err.message);
    assert_true(want.size > 0);
    through = 0;
    for (long n = 0; !through; n += 1 + n / sparse) {
        bytes got = {0};
        const cr_status st = attempt(s, kind, saved, n, &got, &through, &err);

        if ((st != CR_OK && st != CR_ENOMEM) ||
            (st == CR_OK &&
             (got.size != want.size || memcmp(got.data, want.data, got.size) != 0))) {
            if (told++ < 3)
                print_error("%s %s (%s), allocation %ld: status %d, other bytes\n", s->learner,
                            kind, s->param != NULL ? s->param : "", n, (int)st);
            wrong++;
        }
        free(got.data);
    }
    free(want.data);
}

static void no_failing_allocation_changes_a_picture(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++) {
        cr_model *model = trained(&subjects[i]);
        void *data = NULL;
        bytes saved = {0};

        assert_int_equal(cr_model_save_bytes(model, &data, &saved.size, NULL), CR_OK);
        saved.data = data;
        for (size_t k = 0; subjects[i].kind[k] != NULL; k++)
            sweep(&subjects[i], subjects[i].kind[k], &saved);
        cr_bytes_free(data);
        cr_model_free(model);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_failing_allocation_changes_a_picture),
    };

    return cmocka_run_group_tests_name("memory of pictures", tests, NULL, NULL);
}
