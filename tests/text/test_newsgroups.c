/* tests/text/test_newsgroups.c - 20 Newsgroups (bydate) against scikit-learn, token by token.
 *
 * The expected figures are in reference/text-20news.tsv. Skipped where CREDENCE_DATA does not name
 * a folder with text/20news-bydate.tar.zst.
 */
#include "text/reference.h"

#include <archive.h>
#include <archive_entry.h>

typedef struct tally {
    uint64_t *hashes; /* of distinct tokens, open addressing; 0: empty */
    size_t documents, tokens, distinct;
    uint64_t digest;
} tally;

enum { PLACES = 1 << 22 };

static void add_distinct(tally *sum, uint64_t hash)
{
    size_t i = hash % PLACES;

    while (sum->hashes[i] != 0 && sum->hashes[i] != hash)
        i = (i + 1) % PLACES;
    sum->distinct += sum->hashes[i] == 0;
    sum->hashes[i] = hash;
}

static void add_document(tally *sum, cr__tokenizer *t, const char *text, size_t size, int ordered)
{
    cr_status status = cr__tokenizer_begin(t, "", text, size, NULL);
    size_t before = 0;

    while (status == CR_OK && (status = cr__tokenizer_next(t, NULL)) == CR_OK) {
        sum->digest += digest_tokens(t, before, ordered);
        for (size_t i = 0; i < t->count; i++)
            add_distinct(sum, t->tokens[i].hash);
        before += t->count;
    }
    assert_int_equal(status, CR_END);
    sum->tokens += before;
    sum->documents++;
}

/* Every post of the subset ("train", "test"). */
static tally count_posts(const char *path, const char *subset, cr__tokenizer *t, int ordered)
{
    tally sum = {calloc(PLACES, sizeof(uint64_t)), 0, 0, 0, 0};
    struct archive *archive = archive_read_new();
    struct archive_entry *entry;
    char folder[32];
    char *text = malloc(1 << 20);

    assert_non_null(sum.hashes);
    snprintf(folder, sizeof folder, "-%s/", subset);
    archive_read_support_filter_all(archive);
    archive_read_support_format_all(archive);
    assert_int_equal(archive_read_open_filename(archive, path, 65536), ARCHIVE_OK);
    while (archive_read_next_header(archive, &entry) == ARCHIVE_OK) {
        if (archive_entry_filetype(entry) == AE_IFREG &&
            strstr(archive_entry_pathname(entry), folder) != NULL) {
            const la_ssize_t size = archive_read_data(archive, text, 1 << 20);

            assert_true(size >= 0 && size < 1 << 20);
            add_document(&sum, t, text, (size_t)size, ordered);
        }
    }
    archive_read_free(archive);
    free(text);
    free(sum.hashes);
    return sum;
}

static void all_posts_have_the_tokens_of_scikit_learn(void **state)
{
    const char *data = getenv("CREDENCE_DATA");
    char path[4096], line[256], subset[16], strip[64], ngrams[8], knobs[128];
    unsigned long long documents, tokens, distinct, digest;
    FILE *file;

    (void)state;
    if (data == NULL)
        skip();
    snprintf(path, sizeof path, "%s/text/20news-bydate.tar.zst", data);
    if ((file = fopen(path, "rb")) == NULL)
        skip();
    fclose(file);
    file = open_reference("text-20news.tsv");
    while (fgets(line, sizeof line, file) != NULL) {
        cr__recipe recipe;
        cr__tokenizer *t;
        tally sum;

        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%15s %63s %7s %llu %llu %llu %llx", subset, strip, ngrams,
                                &documents, &tokens, &distinct, &digest),
                         7);
        snprintf(knobs, sizeof knobs, "tokens=words2 strip=%s ngrams=%s", strip, ngrams);
        recipe = recipe_of(knobs);
        assert_int_equal(cr__tokenizer_new(&t, &recipe, NULL), CR_OK);
        sum = count_posts(path, subset, t, strcmp(ngrams, "1..1") == 0);
        assert_int_equal(sum.documents, documents);
        assert_int_equal(sum.tokens, tokens);
        assert_int_equal(sum.distinct, distinct);
        assert_true(sum.digest == digest);
        cr__tokenizer_free(t);
        cr__recipe_free(&recipe);
    }
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_posts_have_the_tokens_of_scikit_learn),
    };
    return cmocka_run_group_tests_name("newsgroups", tests, NULL, NULL);
}
