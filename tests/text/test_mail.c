/* tests/text/test_mail.c - splitting messages. Encodings as in the examples of the RFCs named. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/mail.h"
#include "text/mime.h"
#include "text/utf8.h"

/* All sections with the prefix, one after another; the caller frees the string. */
static char *section(const cr__mail *mail, const char *prefix)
{
    cr__buffer out = {0};

    for (size_t i = 0; i < mail->count; i++) {
        assert_true(cr__utf8_valid(mail->sections[i].text, mail->sections[i].size));
        if (strcmp(mail->sections[i].prefix, prefix) == 0)
            cr__buffer_add(&out, mail->sections[i].text, mail->sections[i].size);
    }
    cr__buffer_addc(&out, '\0');
    return out.data;
}

static void read_exactly(cr__mail *mail, const char *message, size_t size)
{
    char *exact = malloc(size + 1); /* so that a sanitizer sees a read beyond the end */

    memcpy(exact, message, size);
    assert_int_equal(cr__mail_read(mail, exact, size, NULL), CR_OK);
    free(exact);
}

static void check_section(const char *message, const char *prefix, const char *expected)
{
    cr__mail mail = {0};
    char *got;

    read_exactly(&mail, message, strlen(message));
    got = section(&mail, prefix);
    assert_string_equal(got, expected);
    assert_false(mail.cut);
    free(got);
    cr__mail_free(&mail);
}

static void headers_become_sections(void **state)
{
    const char *message = "From x Mon\n"
                          "From: Jo <jo@example.com>\r\n"
                          "To: a@b.c,\r\n"
                          " d@e.f\r\n"
                          "SUBJECT : Hello\r\n"
                          "X-Priority: 3\n"
                          "X-Spam-Status: Yes\n"
                          "Status: RO\n"
                          "Message-ID: <1@Mail.Example.COM>\n"
                          "Date: Mon, 1 Jan 2001 00:00:00 -0800 (PST)\n"
                          "In-Reply-To: <2@x>\n"
                          "\n"
                          "Subject: body\n";

    (void)state;
    check_section(message, "from:", "Jo <jo@example.com>");
    check_section(message, "to:", "a@b.c, d@e.f");
    check_section(message, "subject:", "Hello");
    check_section(message, "header:",
                  "from\nto\nsubject\nx-priority\nx-priority=3\nmessage-id\ndate\nin-reply-to\n");
    check_section(message, "message-id:", "mail.example.com\nexample.com\n");
    check_section(message, "date:", "-0800\n");
    check_section(message, "", "Subject: body\n");
}

static void received_hosts_and_networks(void **state)
{
    (void)state;
    check_section(
        "Received: from mail.b.org (unknown [10.1.2.3])\n\tby c (8.12.5/8.11) with ESMTP id g8x;\n "
        "Mon\n\n",
        "received:",
        "from\nmail.b.org\nb.org\nunknown\n10.1.2.3\n10.1.2\n10.1\nby\nc\nwith\nesmtp\nid\n");
    check_section("Received: 5.5.2448.0 300.1.1.1 a. .b x.1\n\n", "received:", "a\n");
}

/* RFC 2047, section 8, and words of one set that share a character between them. */
static void encoded_words_are_decoded(void **state)
{
    (void)state;
    check_section("Subject: =?ISO-8859-1?Q?Andr=E9?= Pirard\n\n", "subject:", "Andr\u00e9 Pirard");
    check_section("Subject: (=?ISO-8859-1?Q?a?= b)\n\n", "subject:", "(a b)");
    check_section("Subject: =?ISO-8859-1?Q?a?=  =?ISO-8859-1?Q?b?=\n\n", "subject:", "ab");
    check_section("Subject: =?ISO-8859-1?Q?a?=\n    =?ISO-8859-1?Q?b?=\n\n", "subject:", "ab");
    check_section("Subject: =?ISO-8859-1?Q?a_b?=\n\n", "subject:", "a b");
    check_section("Subject: =?utf-8?b?w6nD?= =?UTF-8?B?qQ==?=\n\n", "subject:", "\u00e9\u00e9");
    check_section("Subject: =?US-ASCII*EN?Q?Keith?= =?x?y?z?= =?\n\n", "subject:", "Keith =?");
    check_section("Subject: =?koi8-r?B?8NLJ18XU?=\n\n",
                  "subject:", "\u041f\u0440\u0438\u0432\u0435\u0442");
    check_section("Subject: =?gb2312?B?1tC5+g==?=\n\n", "subject:", "\u4e2d\u56fd");
    check_section("Subject: =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=\n\n", "subject:", "\u65e5\u672c");
    check_section("Subject: caf\xe9\n\n", "subject:", "caf\u00e9"); /* raw Latin-1 */
}

/* RFC 2045: quoted-printable with a soft line break; RFC 4648, section 10: base64. */
static void transfer_encodings_are_undone(void **state)
{
    (void)state;
    check_section(
        "Content-Transfer-Encoding: quoted-printable\n\nNow's the time =\nfor=20caf=C3=A9 =3D =zz=",
        "", "Now's the time for caf\u00e9 = =zz");
    check_section("Content-Transfer-Encoding: BASE64\n\nZm9v\r\nYmF y", "", "foobar");
    check_section("Content-Transfer-Encoding: base64\n\nZm9vYg==", "", "foob");
    check_section("Content-Transfer-Encoding: base64\n\nZm9vYmE=ignored", "", "fooba");
    check_section("Content-Type: text/plain; charset=windows-1251\n\n\xcf\xf0\xe8\xe2\xe5\xf2", "",
                  "\u041f\u0440\u0438\u0432\u0435\u0442");
    check_section("Content-Type: text/plain; charset=\"x-nonsense\"\n\ncaf\xe9", "", "caf\u00e9");
    check_section("Content-Type: text/plain; charset=shift_jis\n\n\x93\xfa\x96\x7b\x81", "",
                  "\u65e5\u672c");
}

static const char nested[] =
    "Content-Type: multipart/mixed; boundary=\"out er\"\n"
    "\n"
    "preamble\n"
    "--out er\n"
    "Content-Type: multipart/alternative; boundary=out\n"
    "\n"
    "--out\n"
    "\n"
    "plain\n"
    "--out\n"
    "Content-Type: text/html\n"
    "\n"
    "<b>h</b>tml <a href=http://l.k/>x</a><i style=display:none>hid</i>\n"
    "--out--\n"
    "epilogue\n"
    "--out er \n"
    "Content-Type: application/pdf; name=\"=?utf-8?q?=C3=A9?=.PDF\"\n"
    "Content-Disposition: attachment; filename*0*=utf-8''caf%C3%A9; filename*1=\".tar.gz\"\n"
    "\n"
    "binary\n"
    "--out er\n"
    "Content-Type: message/rfc822\n"
    "\n"
    "Subject: inner\n"
    "Content-Type: text/plain\n"
    "\n"
    "forwarded\n"
    "--out er--\n"
    "after\n";

static void parts_are_found_at_every_depth(void **state)
{
    (void)state;
    check_section(nested, "", "plain\nhtml x\nforwarded\n");
    check_section(nested, "url:", "http://l.k/\n");
    check_section(nested, "hidden:", "hid\n");
    check_section(nested, "file:", "\u00e9.pdf\n.pdf\ncaf\u00e9.tar.gz\n.gz\n");
    check_section(nested, "mime:",
                  "multipart/mixed\nmultipart/alternative\ntext/html\napplication/"
                  "pdf\nattachment\nmessage/rfc822\ntext/plain\n");
    check_section(nested, "subject:", "");
}

static void a_multipart_without_parts_is_text(void **state)
{
    (void)state;
    check_section("Content-Type: multipart/mixed; boundary=x\n\nonly text\n", "", "only text\n");
    check_section("Content-Type: multipart/mixed\n\nonly text\n", "", "only text\n");
    check_section("Content-Type: multipart/mixed; boundary=x\n\n--x\n\nopen", "", "open");
    check_section("Content-Type: multipart/mixed; boundary=x\n\n--x", "", "");
    check_section("Content-Type: multipart/mixed; boundary=x\n\n<p>a</p>", "", "a\n");
}

static void a_web_page_without_its_type_is_html(void **state)
{
    static const char *const page[] = {
        "Subject: x\n\n<html><body bgcolor=red>Buy <b>now</b></body></html>\n",
        "Content-Type: text/plain\n\n<!DOCTYPE html><html><body bgcolor=red>Buy "
        "<b>now</b></body></html>\n"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        check_section(page[i], "", "Buy now\n\n");
        check_section(page[i], "html:", "html \nbody bgcolor red \nb \n");
    }
    check_section("Subject: x\n\nUse <html> and <body>\n", "", "Use <html> and <body>\n");
}

static void odd_messages_are_messages(void **state)
{
    (void)state;
    check_section("", "", "");
    check_section("\n", "", "");
    check_section("just text\n\nmore", "", "just text\n\nmore");
    check_section("Subject: x", "subject:", "x");
    check_section("Subject: x\nno header here\n", "", "no header here\n");
    check_section(":\n:\n\nx", "", ":\n:\n\nx");
    check_section("Content-Type: text/plain\r\n\r\nx\r\n", "", "x\r\n");
}

/* Cut anywhere, a message stays a message. */
static void every_beginning_of_a_message_is_read(void **state)
{
    cr__mail mail = {0};

    (void)state;
    for (size_t size = 0; size < sizeof nested; size++)
        read_exactly(&mail, nested, size);
    cr__mail_free(&mail);
}

/* 10,000 parts, 200 levels, a huge header, 40 MB of text: what fits is read, and the cut is noted.
 */
static void limits_cut_and_say_so(void **state)
{
    const size_t room = 40u << 20;
    char *message = malloc(room);
    cr__mail mail = {0};
    size_t n;

    (void)state;
    n = (size_t)sprintf(message, "Content-Type: multipart/mixed; boundary=b\n\n");
    for (int i = 0; i < 10000; i++)
        n += (size_t)sprintf(message + n, "--b\n\npart %d\n", i);
    read_exactly(&mail, message, n);
    assert_true(mail.cut);
    assert_int_equal(mail.count, CR__MAIL_PARTS - 1 + 2); /* and the lists of headers and types */

    for (n = 0; n < 200 * 60;)
        n += (size_t)sprintf(message + n,
                             "Content-Type: multipart/mixed; boundary=%05zu\n\n--%05zu\n", n, n);
    n += (size_t)sprintf(message + n, "\ndeep\n");
    read_exactly(&mail, message, n);
    assert_true(mail.cut);

    n = (size_t)sprintf(message, "Subject: a\nX-Long: ");
    memset(message + n, 'x', 300000);
    n += 300000;
    n += (size_t)sprintf(message + n, "\nSubject: late\n\nbody");
    read_exactly(&mail, message, n);
    assert_true(mail.cut);

    n = (size_t)sprintf(message, "\n");
    memset(message + n, 'x', room - n);
    read_exactly(&mail, message, room);
    assert_true(mail.cut);
    assert_true(mail.store.size <= CR__MAIL_TEXT_BYTES);
    free(message);
    cr__mail_free(&mail);
}

/* Half a megabyte of each would take minutes if any of them were quadratic. */
static void hostile_mail_takes_linear_time(void **state)
{
    static const char *const parts[] = {"Subject: =?a?b?",
                                        "=?utf-8?q?",
                                        "--b\n",
                                        "\n--",
                                        "a:",
                                        "Received: a.b.c.d.e ",
                                        "Content-Type: multipart/mixed; boundary=b\n\n",
                                        ";a=",
                                        "Content-Type: a/b; name*0*=\n",
                                        "> \n \n"};
    const size_t size = 1 << 19;
    char *message = malloc(size);
    cr__mail mail = {0};

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        static const char head[] = "Content-Type: multipart/mixed; boundary=b\nSubject: ";
        size_t n = sizeof head - 1;

        memcpy(message, head, n);
        for (; n + 64 < size; n += strlen(parts[i]))
            memcpy(message + n, parts[i], strlen(parts[i]));
        assert_int_equal(cr__mail_read(&mail, message, n, NULL), CR_OK);
    }
    free(message);
    cr__mail_free(&mail);
}

static void running_out_of_memory_is_reported(void **state)
{
    cr_status status = CR_ENOMEM;
    cr__mail mail = {0};

    (void)state;
    for (long n = 0; status == CR_ENOMEM; n++) {
        assert_in_range(n, 0, 1000);
        cr__mail_free(&mail);
        cr__memory_fail_after = n;
        status = cr__mail_read(&mail, nested, sizeof nested - 1, NULL);
        cr__memory_fail_after = -1;
    }
    assert_int_equal(status, CR_OK);
    assert_int_equal(cr__mail_read(&mail, nested, sizeof nested - 1, NULL), CR_OK);
    cr__mail_free(&mail);
}

/* Every section through a tokenizer: prefixes before words, ready tokens as they are. */
static void sections_go_through_the_tokenizer(void **state)
{
    const char *message = "Subject: FREE\nDate: x +0100\n\nbuy now";
    cr__recipe recipe = cr__recipe_usual();
    cr__buffer out = {0};
    cr__mail mail = {0};
    cr__tokenizer *t;

    (void)state;
    assert_int_equal(cr__recipe_set(&recipe, "ngrams", "1..2", NULL), CR_OK);
    assert_int_equal(cr__recipe_check(&recipe, NULL), CR_OK);
    assert_int_equal(cr__tokenizer_new(&t, &recipe, NULL), CR_OK);
    read_exactly(&mail, message, strlen(message));
    for (size_t i = 0; i < mail.count; i++) {
        cr__tokenizer_section(t, &mail.sections[i]);
        while (cr__tokenizer_next(t, NULL) == CR_OK)
            for (size_t k = 0; k < t->count; k++) {
                cr__buffer_add(&out, t->text + t->tokens[k].start, t->tokens[k].length);
                cr__buffer_addc(&out, '|');
            }
    }
    cr__buffer_addc(&out, '\0');
    assert_string_equal(out.data,
                        "subject:free|buy|buy now|now|header:subject|header:date|date:+0100|");
    cr__buffer_free(&out);
    cr__tokenizer_free(t);
    cr__recipe_free(&recipe);
    cr__mail_free(&mail);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_become_sections),
        cmocka_unit_test(received_hosts_and_networks),
        cmocka_unit_test(encoded_words_are_decoded),
        cmocka_unit_test(transfer_encodings_are_undone),
        cmocka_unit_test(parts_are_found_at_every_depth),
        cmocka_unit_test(a_multipart_without_parts_is_text),
        cmocka_unit_test(a_web_page_without_its_type_is_html),
        cmocka_unit_test(odd_messages_are_messages),
        cmocka_unit_test(every_beginning_of_a_message_is_read),
        cmocka_unit_test(limits_cut_and_say_so),
        cmocka_unit_test(hostile_mail_takes_linear_time),
        cmocka_unit_test(running_out_of_memory_is_reported),
        cmocka_unit_test(sections_go_through_the_tokenizer),
    };
    return cmocka_run_group_tests_name("mail", tests, NULL, NULL);
}
