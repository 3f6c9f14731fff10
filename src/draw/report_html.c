/* draw/report_html.c - text as self-contained HTML.
 *
 * Names come from files and may hold anything, so every text goes through cr__html_text(). A
 * content security policy in the page forbids scripts and external resources, in case something
 * slips through anyway.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "draw/report.h"
#include "text/utf8.h"

void cr__html(cr__report_page *p, const char *markup)
{
    cr_output_text(p->out, markup);
}

void cr__html_format(cr__report_page *p, const char *format, ...)
{
    char text[320];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cr__html(p, text);
}

void cr__html_text(cr__report_page *p, const char *text)
{
    const char *end = text != NULL ? text + strlen(text) : NULL;

    while (text != end) {
        uint32_t point;

        text = cr__utf8_next(text, end, &point);
        if (point < 32 || (point >= 127 && point < 160))
            point = point == '\t' || point == '\n' ? ' ' : 0xfffd;
        if (point == '<' || point == '>' || point == '&' || point == '"' || point == '\'')
            cr__html_format(p, "&#%u;", (unsigned)point);
        else if (point < 127)
            cr_output_bytes(p->out, (const char[]){(char)point}, 1);
        else
            cr__html_format(p, "&#x%x;", (unsigned)point);
    }
}

void cr__html_cell(cr__report_page *p, const char *element, const char *class_name,
                   const char *text)
{
    if (class_name != NULL)
        cr__html_format(p, "<%s class=\"%s\">", element, class_name);
    else
        cr__html_format(p, "<%s>", element);
    cr__html_text(p, text);
    cr__html_format(p, "</%s>", element);
}

void cr__html_number(cr__report_page *p, cr_show show, double x)
{
    char text[CR_SHOW_SIZE];

    cr__html_cell(p, "td", "n", cr_show_number(text, show, x));
}

/* --- tables ----------------------------------------------------------------------------------- */

void cr__html_heads(cr__report_page *p, const char *names)
{
    cr__html(p, "<div class=\"wide\"><table>\n<tr>");
    while (*names != '\0') {
        const int number = *names == '#';
        const size_t length = strcspn(names, "|");
        char name[40];

        snprintf(name, sizeof name, "%.*s", (int)length - number, names + number);
        if (length > 0)
            cr__html_cell(p, "th", number ? "n" : NULL, name);
        names += length + (names[length] == '|');
    }
    cr__html(p, "</tr>\n");
}

void cr__html_end(cr__report_page *p)
{
    cr__html(p, "</table></div>\n");
}

void cr__html_sheet(cr__report_page *p, const cr_sheet *sheet)
{
    const size_t columns = cr_sheet_columns(sheet);
    double x;

    cr__html(p, "<div class=\"wide\"><table>\n<tr>");
    for (size_t c = 0; c < columns; c++) {
        const char *text = cr_sheet_cell(sheet, 0, c, &x);

        cr__html_cell(p, "th", text == NULL ? "n" : NULL, cr_sheet_field(sheet, c)->title);
    }
    cr__html(p, "</tr>\n");
    for (size_t row = 0; row < cr_sheet_rows(sheet); row++) {
        cr__html(p, "<tr>");
        for (size_t c = 0; c < columns; c++) {
            const char *text = cr_sheet_cell(sheet, row, c, &x);

            if (text != NULL)
                cr__html_cell(p, "td", NULL, text);
            else
                cr__html_number(p, cr_sheet_field(sheet, c)->show, x);
        }
        cr__html(p, "</tr>\n");
    }
    cr__html_end(p);
}

void cr__html_bar(cr__report_page *p, double share, double width)
{
    const int tenths = isnan(share) ? 0 : (int)(fmin(fabs(share), 1) * width * 10 + 0.5);

    cr__html_format(p, "<td><span class=\"bar%s\" style=\"width:%d.%dem\"></span></td>",
                    share < 0 ? " against" : "", tenths / 10, tenths % 10);
}

void cr__html_tile(cr__report_page *p, const char *number, const char *what)
{
    cr__html(p, "<div class=\"tile\">");
    cr__html_cell(p, "b", NULL, number);
    cr__html_cell(p, "span", NULL, what);
    cr__html(p, "</div>\n");
}

/* --- the page --------------------------------------------------------------------------------- */

static const char page_style[] =
    ":root{color-scheme:light dark;--ink:#222;--dim:#666;--ground:#fafafa;--card:#fff;"
    "--line:#ddd;--warn:#a33b00}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--dim:#a0a0a0;--ground:#16181b;"
    "--card:#202327;--line:#3a3e44;--warn:#ffb27a}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:76rem;padding:1.5rem;color:var(--ink);background:var(--ground);"
    "font:16px/1.5 Helvetica,Arial,'Liberation Sans',sans-serif}\n"
    "h1{font-size:1.6rem;margin:0 0 .2rem;overflow-wrap:anywhere}"
    "h2{font-size:1.2rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1rem;margin:1.2rem 0 .3rem}p{margin:.4rem 0;max-width:62rem}"
    ".dim{color:var(--dim)}"
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

void cr__html_open(cr__report_page *p, const char *title)
{
    cr__html(p, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'unsafe-inline'\">\n<title>");
    cr__html_text(p, title);
    cr__html(p, "</title>\n<style>\n");
    cr__html(p, page_style);
    cr__html(p, "</style>\n</head>\n<body>\n");
}

void cr__html_close(cr__report_page *p)
{
    cr__html_format(p, "<p class=\"dim\">Written by credence %s.</p>\n</body>\n</html>\n",
                    cr_version());
}

void cr__html_section(cr__report_page *p, const char *id, const char *heading)
{
    cr__html_format(p, "<h2 id=\"%s\">", id);
    cr__html_text(p, heading);
    cr__html(p, "</h2>\n");
}

cr_status cr__html_figure(cr__report_page *p, cr_figure *figure, cr_status st, const char *caption)
{
    const char *bytes;
    size_t size;

    if (st == CR_OK)
        st = cr_figure_draw(figure, NULL, &bytes, &size, p->err);
    if (st == CR_OK) {
        cr__html(p, "<figure>\n");
        cr_output_bytes(p->out, bytes, size);
        cr__html_cell(p, "figcaption", NULL, caption);
        cr__html(p, "\n</figure>\n");
    }
    cr_figure_free(figure);
    return st;
}
