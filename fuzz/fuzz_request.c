/* fuzz/fuzz_request.c - any request to the server, without a socket.
 *
 * needs: credence_service
 *
 * The first byte is the method (its lowest bit: POST) and the type of the body (the other bits),
 * the bytes up to the first line feed are the target, and the rest is the body; with the highest
 * bit of the first byte set, what follows its last brace is binary tensors. There are two models, a
 * naive Bayes model with words, numbers and a text, and a network. What must hold: an answer with
 * an HTTP status; JSON answers are valid JSON; errors have messages. Training is left out: it keeps
 * models.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "service.h"

enum { ROWS = 6 };

static cr_model *train(const char *learner, int text)
{
    static const char *const colour[ROWS] = {"red", "green", "red", "two words", NULL, "red"};
    static const char *const bit[ROWS] = {"0", "1", "1", "0", "1", "1"};
    static const char *const said[ROWS] = {"yes sir", "no", "well no", "yes", "no sir", "yes"};
    static const char *const class[ROWS] = {"yes", "no", "no", "yes", "no", "yes"};
    static const double hours[ROWS] = {38, 41, 52.5, 12, NAN, 40.5};
    const cr_array arrays[] = {
        {.name = "colour", .text = colour},
        {.name = "bit", .text = bit},
        {.name = "class", .text = class, .role = CR_ROLE_TARGET},
        {.name = "hours", .real = hours},
        {.name = "said", .text = said, .kind = CR_BAG},
    };
    cr_source *source = NULL;
    cr_model *model = NULL;

    if (cr_source_open_arrays(&source, arrays, text ? 5 : 3, ROWS, NULL) != CR_OK ||
        cr_model_train(&model, source, learner, NULL, 0, NULL, NULL, NULL) != CR_OK)
        abort();
    cr_source_close(source);
    return model;
}

static service server;
static worker *one;
static answer reply;

static void prepare(void)
{
    cr_error err;

    if (one != NULL)
        return;
    if (catalog_open(&server.models, NULL, 0, &err) != CR_OK ||
        catalog_add(&server.models, "nb", NULL, train("nb", 1), NULL, &err) != CR_OK ||
        catalog_add(&server.models, "net", NULL, train("network", 0), NULL, &err) != CR_OK ||
        answer_new(&reply, &err) != CR_OK)
        abort();
    server.max_rows = 1000;
    server.max_body = 1 << 16;
    trainings_open(&server.trainings);
    one = worker_new(&server);
}

static int is_json(const buffer *b)
{
    cr_json_reader in = {0};
    cr_json_token token;

    cr_json_reader_start(&in, b->bytes, b->size);
    while ((token = cr_json_read(&in)) > CR_JSON_END)
        ;
    cr_json_reader_free(&in);
    return token == CR_JSON_END;
}

static void check(void)
{
    if (reply.status < 200 || reply.status > 599)
        abort();
    if (strcmp(reply.type, TYPE_JSON) == 0 && reply.fixed == NULL && !is_json(&reply.body))
        abort();
    if (reply.status >= 400 && memcmp(reply.body.bytes, "{\"error\": \"", 11) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    const char *end = size > 1 ? memchr(text + 1, '\n', size - 1) : NULL;
    request r = {0};
    cr_error err;
    char *target;
    const route *found;

    prepare();
    if (end == NULL || (target = calloc(1, (size_t)(end - text))) == NULL)
        return 0;
    memcpy(target, text + 1, (size_t)(end - text - 1));
    answer_clear(&reply);
    if (request_parse(&r, bytes[0] & 1 ? METHOD_POST : METHOD_GET, target, &err) != CR_OK) {
        answer_fail(&reply, CR_EARG, &err);
        check();
    } else {
        r.type = (media)((bytes[0] >> 1) % (MEDIA_OTHER + 1));
        r.body = end + 1;
        r.size = size - (size_t)(end + 1 - text);
        for (size_t i = r.size; (bytes[0] & 128) != 0 && r.head == 0 && i > 0; i--)
            r.head = r.body[i - 1] == '}' ? i : 0;
        found = service_route(&r, &reply);
        if (found != NULL && strcmp(found->path, "/train") != 0 &&
            strcmp(found->path, "/metrics") != 0)
            service_answer(&server, one, found, &r, &reply);
        if (found == NULL || reply.body.size > 0)
            check();
    }
    request_free(&r);
    free(target);
    return 0;
}
