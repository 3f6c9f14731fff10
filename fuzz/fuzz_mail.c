/* fuzz/fuzz_mail.c - any bytes as a message: sections of valid UTF-8, which give tokens. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/mail.h"
#include "text/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int right)
{
    if (!right)
        abort();
}

static size_t count_tokens(cr__tokenizer *t, const cr__mail *mail)
{
    size_t tokens = 0;

    for (size_t i = 0; i < mail->count; i++) {
        const cr__section *section = &mail->sections[i];
        cr_status status;

        check(section->size > 0 && cr__utf8_valid(section->text, section->size));
        cr__tokenizer_section(t, section);
        while ((status = cr__tokenizer_next(t, NULL)) == CR_OK)
            for (size_t k = 0; k < t->count; k++, tokens++)
                check(t->tokens[k].length > 0 &&
                      cr__utf8_valid(t->text + t->tokens[k].start, t->tokens[k].length));
        check(status == CR_END);
    }
    return tokens;
}

/* Made once: making it would take most of the time. */
static cr__tokenizer *rich(void)
{
    static const char line[] = "recipe=1 tokens=rich ngrams=1..2";
    static cr__recipe recipe;
    static cr__tokenizer *t;

    if (t == NULL) {
        check(cr__recipe_read(&recipe, line, strlen(line), NULL) == CR_OK);
        check(cr__tokenizer_new(&t, &recipe, NULL) == CR_OK);
    }
    return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cr__mail mail = {0};
    size_t tokens;

    check(cr__mail_read(&mail, (const char *)data, size, NULL) == CR_OK);
    tokens = count_tokens(rich(), &mail);
    check(cr__mail_read(&mail, (const char *)data, size, NULL) ==
          CR_OK); /* nothing is left behind */
    check(count_tokens(rich(), &mail) == tokens);
    cr__mail_free(&mail);
    return 0;
}
