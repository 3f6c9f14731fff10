/* cli/explain/work.c - the derivation on the terminal. */
#include <stdlib.h>

#include "explain/explain.h"
#include "out/out.h"
#include "out/text.h"
#include "session/reserve.h"
#include "session/session.h"

enum { NAME_WIDTH = 24, LEAST_WIDTH = 6 };

/* Columns for a name, a value or a word: three of them and the fractions fit on a line. */
static size_t name_width(void)
{
    size_t width = out_width() > 38 ? (out_width() - 20) / 3 : LEAST_WIDTH;

    return out_width() == 0 || width > NAME_WIDTH ? NAME_WIDTH : width;
}

static void print_bold(const char *text)
{
    fputs(out_style(STYLE_BOLD), stdout);
    text_wrap(stdout, text, 0, 2, out_width());
    fputs(out_style(STYLE_NONE), stdout);
}

/* Both sides on one line, or on as many as needed. */
static void print_line(const cr_board_line *line, size_t width)
{
    const size_t indent = 2 + width + 1;

    printf("  %s%*s ", line->left, (int)(width - text_width(line->left)), "");
    text_wrap(stdout, line->right, indent, indent, out_width());
}

static void explain_print_board(const cr_board *board, bool closing)
{
    size_t at = 0;

    print_bold(board->heading);
    if (board->note != NULL)
        out_line("%s", board->note);
    for (size_t s = 0; s < board->sections; s++) {
        if (board->section[s].title != NULL) {
            putchar('\n');
            print_bold(board->section[s].title);
        }
        for (; at < board->lines && board->line[at].section == s; at++)
            print_line(&board->line[at], board->section[s].width);
    }
    if (closing && board->closing[0] != '\0') {
        putchar('\n');
        out_line("%s", board->closing);
    }
}

void explain_work(const inquiry *q, const cr_explanation *e)
{
    const cr_board_options options = {.name_width = name_width(), .against = q->against};
    const bool possible = e->reason != CR_IMPOSSIBLE;
    cr_board *board;
    cr_error err = {0};

    if (cr_board_new(&board, q->model, e, &options, &err) != CR_OK)
        reserve_failed();
    explain_print_board(board, possible);
    if (!possible) {
        putchar('\n');
        explain_impossible(q, e);
    }
    cr_board_free(board);
}

void explain_work_number(const cr_model *model, const cr_regression_explanation *e, double level)
{
    const cr_board_options options = {.name_width = name_width()};
    cr_board *board;
    cr_error err = {0};

    if (cr_board_new_regression(&board, model, e, level, &options, &err) != CR_OK)
        reserve_failed();
    explain_print_board(board, true);
    cr_board_free(board);
}
