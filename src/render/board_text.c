/* render/board_text.c - a blackboard as text and as JSON. */
#include <math.h>

#include "credence/explain.h"

static void write_line(const cr_board *board, const cr_board_line *line, cr_output *out)
{
    cr_output_text(out, "  ");
    cr_output_text(out, line->left);
    for (size_t w = cr_show_width(line->left); w < board->section[line->section].width; w++)
        cr_output_text(out, " ");
    cr_output_text(out, " ");
    cr_output_text(out, line->right);
    cr_output_text(out, "\n");
}

void cr_board_text(const cr_board *board, cr_output *out)
{
    size_t at = 0;

    cr_output_text(out, board->heading);
    cr_output_text(out, "\n");
    if (board->note != NULL) {
        cr_output_text(out, board->note);
        cr_output_text(out, "\n");
    }
    for (size_t s = 0; s < board->sections; s++) {
        if (board->section[s].title != NULL) {
            cr_output_text(out, "\n");
            cr_output_text(out, board->section[s].title);
            cr_output_text(out, "\n");
        }
        for (; at < board->lines && board->line[at].section == s; at++)
            write_line(board, &board->line[at], out);
    }
    if (board->closing[0] != '\0') {
        cr_output_text(out, "\n");
        cr_output_text(out, board->closing);
        cr_output_text(out, "\n");
    }
}

static const char *const rule_name[] = {"text",   "number",   "fraction", "gaussian", "student",
                                        "square", "times",    "product",  "sum",      "log_sum",
                                        "mean",   "quotient", "normal",   "sigmoid",  "rest",
                                        "exp",    "weighted", "power",    "powers"};

static void fraction_json(const cr_board_line *line, cr_json *j)
{
    if (!isnan(line->total)) {
        cr_json_number(j, "count", line->count);
        cr_json_number(j, "total", line->total);
    }
    cr_json_number(j, "top", line->top);
    cr_json_number(j, "bottom", line->bottom);
    if (line->power != 1)
        cr_json_number(j, "power", line->power);
}

static void line_json(const cr_board_line *line, cr_json *j)
{
    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_text(j, "left", line->left);
    cr_json_text(j, "right", line->right);
    cr_json_text(j, "rule", rule_name[line->rule]);
    if (line->rule != CR_BOARD_TEXT)
        cr_json_number(j, "value", line->value);
    if (line->rule != CR_BOARD_TEXT && !isnan(line->log_value))
        cr_json_number(j, "log_value", line->log_value);
    if (line->rule == CR_BOARD_FRACTION)
        fraction_json(line, j);
    if (line->rule == CR_BOARD_GAUSSIAN || line->rule == CR_BOARD_STUDENT ||
        line->rule == CR_BOARD_SQUARE) {
        cr_json_number(j, "x", line->x);
        cr_json_number(j, "mean", line->mean);
        cr_json_number(j, "variance", line->variance);
    }
    if (line->rule == CR_BOARD_STUDENT)
        cr_json_number(j, "freedom", line->freedom);
    if (line->terms > 0) {
        cr_json_array(j, "terms", CR_JSON_LINE);
        for (size_t i = 0; i < line->terms; i++)
            cr_json_number(j, NULL, (double)line->term[i]);
        cr_json_end(j);
    }
    cr_json_end(j);
}

void cr_board_json(const cr_board *board, cr_json *j, const char *key)
{
    size_t at = 0;

    cr_json_object(j, key, CR_JSON_LINE);
    cr_json_text(j, "heading", board->heading);
    if (board->note != NULL)
        cr_json_text(j, "note", board->note);
    cr_json_array(j, "sections", CR_JSON_LINE);
    for (size_t s = 0; s < board->sections; s++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "title", board->section[s].title);
        cr_json_array(j, "lines", CR_JSON_LINE);
        for (; at < board->lines && board->line[at].section == s; at++)
            line_json(&board->line[at], j);
        cr_json_end(j);
        cr_json_end(j);
    }
    cr_json_end(j);
    cr_json_text(j, "closing", board->closing);
    cr_json_end(j);
}
