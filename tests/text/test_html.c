/* tests/text/test_html.c - HTML as its reader sees it; expectations by hand from the HTML standard.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/html.h"
#include "text/html_style.h"

static void check_stream(const cr__buffer *stream, const char *expected)
{
    assert_false(stream->failed);
    assert_int_equal(stream->size, strlen(expected));
    if (stream->size > 0)
        assert_memory_equal(stream->data, expected, stream->size);
}

/* The visible text, the hidden text, and the targets of links. Bytes are given exactly. */
static void check(const char *html, const char *text, const char *hidden, const char *links)
{
    const size_t size = strlen(html);
    char *exact = malloc(size + 1);
    cr__html out = {0};

    memcpy(exact, html, size);
    cr__html_read(&out, exact, size);
    check_stream(&out.text, text);
    check_stream(&out.hidden, hidden);
    check_stream(&out.links, links);
    cr__html_free(&out);
    free(exact);
}

static void tags_vanish_and_blocks_separate(void **state)
{
    (void)state;
    check("plain", "plain\n", "", "");
    check("<p>One <b>bo</b>ld</p><p>two", "One bold\ntwo\n", "", "");
    check("a<br>b<td>c</td><LI>d", "a\nb\nc\nd\n", "", "");
    check("vi<span>ag</span>ra vi<xyz>agra", "viagra viagra\n", "", "");
    check("1 < 2 <3 > 2 < ", "1 < 2 <3 > 2 < \n", "", "");
    check("<a title=\"x > y\" alt='q'>z</a>", "x > y\nq\nz\n", "", "");
    check("a<b", "a\n", "", "");
    check("a</", "a\n", "", "");
    check("<", "<\n", "", "");
}

static void scripts_styles_and_comments_go(void **state)
{
    (void)state;
    check("a<script>if (x < 3) y('</b>');</SCRIPT >b", "ab\n", "", "");
    check("a<style>p { color: red }</style>b", "ab\n", "", "");
    check("vi<!-- no > matter -->agra", "viagra\n", "", "");
    check("a<!-->b<!doctype html><?xml?>c", "abc\n", "", "");
    check("a<!-- open", "a\n", "", "");
    check("a<script>open", "a\n", "", "");
}

/* Names and numbers of the HTML standard, section 13.5; 0x92 as Windows-1252, which it demands. */
static void entities_become_characters(void **state)
{
    (void)state;
    check("&lt;p&gt; &amp;amp; &quot;&apos;", "<p> &amp; \"'\n", "", "");
    check("caf&eacute; caf&#233; caf&#xE9; &euro;&hellip;",
          "caf\u00e9 caf\u00e9 caf\u00e9 \u20ac\u2026\n", "", "");
    check("&copy 1 &copyx &eurox &unknown; & &;", "\u00a9 1 \u00a9x &eurox &unknown; & &;\n", "",
          "");
    check("&#146; &#0; &#xD800; &#99999999999; &#; &#x;", "\u2019 \ufffd \ufffd \ufffd &#; &#x;\n",
          "", "");
}

static void links_are_gathered(void **state)
{
    (void)state;
    check("<a href=\"http://a.b/?x=1&amp;copy=2&copy=3\">t</a><img src=i.gif>", "t\n", "",
          "http://a.b/?x=1&copy=2&copy=3\ni.gif\n");
    check("<a href='#top'>t</a><img src=\"cid:1\"><img src=data:x><a HREF = ' u '>v", "t\nv\n", "",
          "u \n");
    check("<form action=f><body background=b>", "", "", "f\nb\n");
}

static void text_that_nobody_sees_is_apart(void **state)
{
    (void)state;
    check("a<span style=\"display:none\">b<b>c</b></span>d", "ad\n", "bc\n", "");
    check("a<div style='DISPLAY : none'>b<div>c</div>d</div>e", "a\ne\n", "b\nc\nd\n", "");
    check("a<font style=font-size:0px>b</font>c<i style=\"font-size:1px;x:y\">d</i>", "ac\n",
          "b\nd\n", "");
    check("a<p style=\"font-size:10px;color:#fefefe\">b</p>c", "a\nc\n", "b\n", "");
    check("a<p hidden>b<p>c", "a\nc\n", "b\n", "");
    check("<font color=white>a</font><font color=\"#FFF\">b</font><font color=black>c", "c\n",
          "a\nb\n", "");
    check("<table bgcolor=#000000><tr><td><font color=white>a</font><font "
          "color=#000001>b</font></td></table>"
          "<font color=black>c</font>",
          "a\nc\n", "b\n", "");
    check("<td style=display:none>a<td>b", "b\n", "a\n", "");
    check("<body text=#ffffff bgcolor=#ffffff>a", "a\n", "", "");
}

static void colours_in_all_spellings(void **state)
{
    static const struct {
        const char *text;
        int32_t colour;
    } cases[] = {{"#ff8000", 0xff8000},
                 {"f80", 0xff8800},
                 {"Navy", 0x000080},
                 {"rgb(1, 2,300)", 0x0102ff},
                 {"rgb(1,2)", CR__COLOUR_NONE},
                 {"ff80", CR__COLOUR_NONE},
                 {"", CR__COLOUR_NONE},
                 {"#gggggg", CR__COLOUR_NONE}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(cr__html_colour(cases[i].text, strlen(cases[i].text)), cases[i].colour);
}

static void any_bytes_are_html(void **state)
{
    static const char *const parts[] = {"<",
                                        ">",
                                        "</",
                                        "<!--",
                                        "-->",
                                        "\"",
                                        "'",
                                        "=",
                                        " ",
                                        "div",
                                        "style=display:none",
                                        "&",
                                        "&#",
                                        "script",
                                        "<p ",
                                        "<td bgcolor=red>",
                                        "</td>",
                                        "\xc3\xa9",
                                        "\0"};
    cr__html out = {0};

    (void)state;
    srand(9);
    for (int i = 0; i < 20000; i++) {
        char html[256];
        size_t size = 0;
        char *exact;

        while (size < 200) {
            const char *part = parts[(size_t)rand() % (sizeof parts / sizeof *parts)];
            const size_t length = part[0] == '\0' ? 1 : strlen(part);

            memcpy(html + size, part, length);
            size += length;
        }
        exact = malloc(size);
        memcpy(exact, html, size);
        cr__html_clear(&out);
        cr__html_read(&out, exact, size);
        assert_true(out.text.size + out.hidden.size <= 4 * size);
        free(exact);
    }
    cr__html_free(&out);
}

/* A megabyte of each would take hours if any of them were quadratic. */
static void hostile_html_takes_linear_time(void **state)
{
    static const char *const parts[] = {"<",
                                        "<a href=\"",
                                        "<!-",
                                        "<div style=display:none>",
                                        "<td bgcolor=red>",
                                        "&#",
                                        "<p x='",
                                        "</script",
                                        "<a b=",
                                        "& "};
    const size_t size = 1 << 20;
    char *html = malloc(size);

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        cr__html out = {0};

        for (size_t n = 0; n + 32 < size; n += strlen(parts[i]))
            memcpy(html + n, parts[i], strlen(parts[i]));
        cr__html_read(&out, html, size - 64);
        cr__html_free(&out);
    }
    free(html);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_vanish_and_blocks_separate),
        cmocka_unit_test(scripts_styles_and_comments_go),
        cmocka_unit_test(entities_become_characters),
        cmocka_unit_test(links_are_gathered),
        cmocka_unit_test(text_that_nobody_sees_is_apart),
        cmocka_unit_test(colours_in_all_spellings),
        cmocka_unit_test(any_bytes_are_html),
        cmocka_unit_test(hostile_html_takes_linear_time),
    };
    return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
