/* fuzz_store_stream.c - what stores send each other: states, and streams with a correct hash.
 */
#include <stdint.h>
#include <stdlib.h>

#include "store/stream.h"

/* Visit everything in a valid stream as a store would. */
static void visit(cr__stream s)
{
    cr__word_record record = {0};
    cr__stream_record r;

    while (cr__stream_next_part(&s.parts, &r))
        if (r.origin >= s.origins)
            abort();
    while (cr__stream_next_calibration(&s.calibrations, &r) || cr__stream_next_day(&s.days, &r))
        if (r.origin >= s.origins)
            abort();
    while (cr__stream_next_word(&s.words, &r))
        if (cr__word_record_read(&record, r.value.at, r.value.size) == CR_EFORMAT)
            abort();
    cr__word_record_free(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cr__contributor origin = {.id = {1}};
    const cr__store_meta meta = {.origin = &origin, .origins = 1};
    cr__buffer whole = {0};
    cr__stream s = {0};
    uint64_t version;

    cr__state_read(&meta, data, size, &version);
    cr__buffer_add(&whole, data, size);
    cr__stream_end(&whole);
    if (!whole.failed && cr__stream_read(&s, whole.data, whole.size) == CR_OK)
        visit(s);
    cr__stream_free(&s);
    cr__buffer_free(&whole);
    return 0;
}
