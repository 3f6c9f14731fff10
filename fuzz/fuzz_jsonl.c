/* fuzz/fuzz_jsonl.c - any bytes as a table in the format "jsonl".
 *
 * Records are read by columns where that can be done. The same must come out when each is read by
 * itself, here beyond a small sample, whose records are read one by one in any case.
 */
#include "reading.h"
#include "source/json_strip.h"

static void read_both_ways(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"in=ignore", "a=ignore"};
    const size_t sample = cr__source_sample_size, places = cr__json_places_limit;
    cr_source_options options;
    outcome strips, single;

    cr_source_options_default(&options);
    options.format = "jsonl";
    options.types = types;
    options.type_count = 1 + (*data & 1);
    cr__source_sample_size = (size_t)(*data >> 1) + 1;
    strips = read_bytes((const char *)data + 1, size - 1, &options, (size_t)1 << 16);
    cr__json_places_limit = 0;
    single = read_bytes((const char *)data + 1, size - 1, &options, (size_t)1 << 16);
    cr__json_places_limit = places;
    cr__source_sample_size = sample;
    demand(strips.status == single.status);
    demand(strips.line == single.line);
    demand(strips.status != CR_OK || (strips.rows == single.rows && strips.sum == single.sum));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_fuzzed("jsonl", data, size);
    if (size > 0)
        read_both_ways(data, size);
    return 0;
}
