/* cli/report/html.c - text into HTML that needs nothing but itself.
 *
 * Names come from files and may hold anything, so every text goes through html_text(). A policy in
 * the page forbids scripts and anything from outside, should something slip through all the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "out/text.h"
#include "report/report.h"
#include "session/reserve.h"

void html_text(FILE *f, const char *text)
{
    while (text != NULL && *text != '\0') {
        uint32_t point = text_next(&text);

        if (point < 32 || (point >= 127 && point < 160))
            point = point == '\t' || point == '\n' ? ' ' : 0xfffd;
        if (point == '<' || point == '>' || point == '&' || point == '"' || point == '\'')
            fprintf(f, "&#%u;", (unsigned)point);
        else if (point < 127)
            fputc((int)point, f);
        else
            fprintf(f, "&#x%x;", (unsigned)point);
    }
}

void html_cell(FILE *f, const char *element, const char *class_name, const char *text)
{
    fprintf(f, class_name != NULL ? "<%s class=\"%s\">" : "<%s>", element, class_name);
    html_text(f, text);
    fprintf(f, "</%s>", element);
}

void html_number(FILE *f, char *(*picture)(char *buffer, double x), double x)
{
    char text[NUMBER_ROOM];

    html_cell(f, "td", "n", picture(text, x));
}

void html_heads(FILE *f, const char *names)
{
    char *copy = reserve_text(names);

    fputs("<div class=\"wide\"><table>\n<tr>", f);
    for (char *name = strtok(copy, "|"); name != NULL; name = strtok(NULL, "|"))
        html_cell(f, "th", *name == '#' ? "n" : NULL, name + (*name == '#'));
    fputs("</tr>\n", f);
    free(copy);
}

void html_end(FILE *f)
{
    fputs("</table></div>\n", f);
}

void html_table(FILE *f, const table *t)
{
    const char *text;
    table_align align;

    fputs("<div class=\"wide\"><table>\n", f);
    for (size_t row = 0; table_cell(t, row, 0, &text, &align); row++) {
        fputs("<tr>", f);
        for (size_t i = 0; table_cell(t, row, i, &text, &align); i++)
            html_cell(f, row == 0 ? "th" : "td", align == TABLE_RIGHT ? "n" : NULL, text);
        fputs("</tr>\n", f);
    }
    html_end(f);
}

void html_bar(FILE *f, double share, double width)
{
    fprintf(f, "<td><span class=\"bar%s\" style=\"width:%.1fem\"></span></td>",
            share < 0 ? " against" : "", fmin(fabs(share), 1) * width);
}

void html_tile(FILE *f, const char *number, const char *what)
{
    fputs("<div class=\"tile\">", f);
    html_cell(f, "b", NULL, number);
    html_cell(f, "span", NULL, what);
    fputs("</div>\n", f);
}

static const char page_style[] =
    ":root{color-scheme:light dark;--ink:#222;--dim:#666;--ground:#fafafa;--card:#fff;"
    "--line:#ddd;--warn:#a33b00}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--dim:#a0a0a0;--ground:#16181b;"
    "--card:#202327;--line:#3a3e44;--warn:#ffb27a}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:62rem;padding:1.5rem;color:var(--ink);background:var(--ground);"
    "font:16px/1.5 Helvetica,Arial,'Liberation Sans',sans-serif}\n"
    "h1{font-size:1.6rem;margin:0 0 .2rem;overflow-wrap:anywhere}"
    "h2{font-size:1.2rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1rem;margin:1.2rem 0 .3rem}p{margin:.4rem 0}.dim{color:var(--dim)}"
    ".warn{color:var(--warn)}.quote{border-left:3px solid var(--line);padding-left:.7rem;"
    "overflow-wrap:anywhere}\n"
    ".tiles{display:flex;flex-wrap:wrap;gap:.7rem;margin:1rem 0}"
    ".tile{background:var(--card);border:1px solid var(--line);border-radius:.4rem;"
    "padding:.6rem .9rem;min-width:8rem;max-width:14rem}"
    ".tile b{display:block;font-size:1.35rem}.tile span{color:var(--dim);font-size:.85rem}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.92rem;margin:.5rem 0}"
    "th,td{padding:.22rem .7rem;text-align:left;border-bottom:1px solid var(--line);"
    "max-width:24rem;overflow-wrap:anywhere}"
    "th{color:var(--dim);font-weight:600}.n{text-align:right;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}\n"
    "figure{margin:.8rem 0;padding:.6rem;background:#fff;border:1px solid var(--line);"
    "border-radius:.4rem;overflow-x:auto}figure svg{display:block;max-width:100%;height:auto;"
    "margin:auto}\n"
    "figcaption{color:#555;font-size:.88rem;padding:.4rem .3rem 0}\n"
    ".bar{display:inline-block;height:.7em;background:#0072b2;vertical-align:baseline}"
    ".bar.against{background:#d55e00}\n"
    "nav a{margin-right:1rem;color:inherit}"
    "@media print{nav{display:none}body{max-width:none}figure{break-inside:avoid}}\n";

void html_open(FILE *f, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\">\n<title>",
          f);
    html_text(f, title);
    fprintf(f, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", page_style);
}

void html_close(FILE *f)
{
    fprintf(f, "<p class=\"dim\">Written by credence %s.</p>\n</body>\n</html>\n", cr_version());
}

void html_section(FILE *f, const char *id, const char *heading)
{
    fprintf(f, "<h2 id=\"%s\">", id);
    html_text(f, heading);
    fputs("</h2>\n", f);
}

int html_figure(FILE *f, cr_figure *figure, int code, const char *caption)
{
    cr_error err = {0};
    const char *bytes;
    size_t size;

    if (code == EXIT_DONE) {
        const cr_status status = cr_figure_draw(figure, NULL, &bytes, &size, &err);

        code = status == CR_OK ? EXIT_DONE : complain(status, &err);
    }
    if (code == EXIT_DONE) {
        fputs("<figure>\n", f);
        fwrite(bytes, 1, size, f);
        html_cell(f, "figcaption", NULL, caption);
        fputs("\n</figure>\n", f);
    }
    cr_figure_free(figure);
    return code;
}
