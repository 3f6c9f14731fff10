/* text/charset.c - the character sets of mail to UTF-8. */
#include "text/charset.h"

#include "text/utf8.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>
#include <strings.h>

/* The label of a message and the name for iconv: where mailers say one thing and mean more (as with
 * GB2312 and GBK), the larger set. Sets that agree with Windows-1252 are left out. */
static const struct {
    const char *label, *name;
} sets[] = {
    {"big5", "BIG5"},
    {"big5-hkscs", "BIG5-HKSCS"},
    {"cp1250", "CP1250"},
    {"cp1251", "CP1251"},
    {"cp437", "CP437"},
    {"cp850", "CP850"},
    {"cp852", "CP852"},
    {"cp866", "CP866"},
    {"cp932", "CP932"},
    {"cp949", "UHC"},
    {"euc-cn", "GBK"},
    {"euc-jp", "EUC-JP"},
    {"euc-kr", "UHC"},
    {"euc-tw", "EUC-TW"},
    {"gb18030", "GB18030"},
    {"gb2312", "GBK"},
    {"gb_2312-80", "GBK"},
    {"gbk", "GBK"},
    {"iso-2022-jp", "ISO-2022-JP"},
    {"iso-2022-kr", "ISO-2022-KR"},
    {"iso-8859-10", "ISO-8859-10"},
    {"iso-8859-11", "CP874"},
    {"iso-8859-13", "ISO-8859-13"},
    {"iso-8859-14", "ISO-8859-14"},
    {"iso-8859-15", "ISO-8859-15"},
    {"iso-8859-16", "ISO-8859-16"},
    {"iso-8859-2", "ISO-8859-2"},
    {"iso-8859-3", "ISO-8859-3"},
    {"iso-8859-4", "ISO-8859-4"},
    {"iso-8859-5", "ISO-8859-5"},
    {"iso-8859-6", "ISO-8859-6"},
    {"iso-8859-7", "ISO-8859-7"},
    {"iso-8859-8", "ISO-8859-8"},
    {"iso-8859-8-i", "ISO-8859-8"},
    {"iso-8859-9", "CP1254"},
    {"koi8-r", "KOI8-R"},
    {"koi8-u", "KOI8-U"},
    {"ks_c_5601-1987", "UHC"},
    {"ks_c_5601", "UHC"},
    {"macintosh", "MACINTOSH"},
    {"shift_jis", "CP932"},
    {"shift-jis", "CP932"},
    {"sjis", "CP932"},
    {"x-sjis", "CP932"},
    {"tis-620", "CP874"},
    {"unicode-1-1-utf-7", "UTF-7"},
    {"utf-16", "UTF-16"},
    {"utf-16be", "UTF-16BE"},
    {"utf-16le", "UTF-16LE"},
    {"utf-7", "UTF-7"},
    {"windows-1250", "CP1250"},
    {"windows-1251", "CP1251"},
    {"windows-1253", "CP1253"},
    {"windows-1254", "CP1254"},
    {"windows-1255", "CP1255"},
    {"windows-1256", "CP1256"},
    {"windows-1257", "CP1257"},
    {"windows-1258", "CP1258"},
    {"windows-874", "CP874"},
};

static const char *find(const char *label, size_t length)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (length > 0 && (*label | 0x20) == *sets[i].label &&
            strncasecmp(sets[i].label, label, length) == 0 && strlen(sets[i].label) == length)
            return sets[i].name;
    return NULL;
}

/* A converter in its initial state, or NULL when the system has none. */
static iconv_t open_set(cr__charsets *open, const char *name)
{
    iconv_t converter;
    unsigned at;

    for (unsigned i = 0; i < CR__CHARSET_OPEN; i++) {
        if (open->name[i] == name) {
            (void)iconv((iconv_t)open->converter[i], NULL, NULL, NULL, NULL);
            return (iconv_t)open->converter[i];
        }
    }
    converter = iconv_open("UTF-8", name);
    if (converter == (iconv_t)-1)
        return NULL;
    at = open->next++ % CR__CHARSET_OPEN;
    if (open->name[at] != NULL)
        iconv_close((iconv_t)open->converter[at]);
    open->name[at] = name;
    open->converter[at] = converter;
    return converter;
}

void cr__charsets_close(cr__charsets *open)
{
    for (unsigned i = 0; i < CR__CHARSET_OPEN; i++)
        if (open->name[i] != NULL)
            iconv_close((iconv_t)open->converter[i]);
    *open = (cr__charsets){0};
}

/* UTF-8 when it is valid, Windows-1252 otherwise. */
static void add_western(const char *bytes, size_t size, cr__buffer *out)
{
    char *to;

    if (cr__utf8_valid(bytes, size)) {
        cr__buffer_add(out, bytes, size);
    } else if (size <= SIZE_MAX / CR__UTF8_GROWTH &&
               (to = cr__buffer_reserve(out, CR__UTF8_GROWTH * size)) != NULL) {
        out->size += cr__utf8_from_1252(bytes, size, to);
    }
}

static void convert(iconv_t converter, const char *bytes, size_t size, cr__buffer *out)
{
    char *in = (char *)(uintptr_t)bytes; /* iconv's prototype lacks the const */

    while (size > 0) {
        size_t room = 2 * size + 16;
        char *to = cr__buffer_reserve(out, room);
        const size_t before = room;
        size_t result;

        if (to == NULL)
            return;
        result = iconv(converter, &in, &size, &to, &room);
        out->size += before - room;
        if (result == (size_t)-1 && errno == EINVAL)
            return; /* the text ends within a character */
        if (result == (size_t)-1 && errno == EILSEQ && size > 0) {
            cr__buffer_adds(out, "\xef\xbf\xbd");
            in++;
            size--;
        }
    }
}

void cr__charset_decode(cr__charsets *open, const char *label, size_t label_length,
                        const char *bytes, size_t size, cr__buffer *out)
{
    const char *name = find(label, label_length);
    const iconv_t converter = name != NULL ? open_set(open, name) : NULL;
    const size_t start = out->size;

    if (converter == NULL) {
        add_western(bytes, size, out);
        return;
    }
    convert(converter, bytes, size, out);
    if (!out->failed && out->size > start &&
        !cr__utf8_valid(out->data + start, out->size - start)) {
        out->size = start; /* a converter that cannot be trusted */
        add_western(bytes, size, out);
    }
}
