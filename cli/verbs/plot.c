/* cli/verbs/plot.c - credence plot: pictures of models, data and results. */
#include <stdlib.h>
#include <string.h>

#include "options/decide.h"
#include "out/out.h"
#include "plot/plot.h"
#include "session/reserve.h"
#include "session/session.h"
#include "verbs/verbs.h"

typedef struct plot_kind {
    const char *name;
    size_t least; /* operands besides its name */
    const char *operands;
    int (*draw)(plot *p);
    bool has_csv; /* its numbers are a table */
} plot_kind;

static const plot_kind kinds[] = {
    {"roc", 1, "MODEL [DATA...]", plot_model, true},
    {"pr", 1, "MODEL [DATA...]", plot_model, true},
    {"reliability", 1, "MODEL [DATA...]", plot_model, true},
    {"confusion", 1, "MODEL [DATA...]", plot_model, true},
    {"predicted", 1, "MODEL [DATA...]", plot_model, false},
    {"residuals", 1, "MODEL [DATA...]", plot_model, false},
    {"errors", 1, "MODEL [DATA...]", plot_model, false},
    {"coverage", 1, "MODEL [DATA...]", plot_model, false},
    {"densities", 1, "MODEL [DATA...]", plot_model, false},
    {"means", 1, "MODEL", plot_model, false},
    {"mistake", 1, "MODEL", plot_model, false},
    {"surface", 1, "MODEL... [DATA...]", plot_surface, false},
    {"words", 1, "MODEL", plot_model, false},
    {"network", 1, "MODEL", plot_model, false},
    {"tree", 1, "MODEL", plot_model, false},
    {"beta", 1, "[NAME=]A,B...", plot_beta, false},
    {"dirichlet", 1, "NAME=COUNT...", plot_dirichlet, false},
    {"curve", 1, "FILE", plot_curve, false},
    {"lines", 1, "FILE", plot_lines, false},
};

enum { KINDS = sizeof kinds / sizeof *kinds, MOST_POINTS = 5000, LEAST_POINTS = 100 };

static int find_kind(const char *name, const plot_kind **out)
{
    cr_nearest n = {.wanted = name};
    char hint[240] =
        "roc, pr, reliability, confusion, predicted, residuals, errors, coverage, densities, "
        "means, mistake, surface, words, network, tree, beta, dirichlet, curve, lines";

    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            *out = &kinds[i];
            return EXIT_DONE;
        }
        cr_nearest_offer(&n, kinds[i].name);
    }
    if (n.best != NULL)
        snprintf(hint, sizeof hint, "did you mean %s?", n.best);
    return misuse(hint, "there is no picture '%s'", name);
}

/* Where the picture goes, and its format; NULL: nowhere, only its numbers are wanted. */
static int choose_output(const request *r, const char **path, cr_picture *how)
{
    static const struct {
        const char *name;
        cr_picture_form form;
    } forms[] = {{"svg", CR_PICTURE_SVG},
                 {"png", CR_PICTURE_PNG},
                 {"pdf", CR_PICTURE_PDF},
                 {"text", CR_PICTURE_TERMINAL}};
    const char *as = option_text(r, "as");

    *path = option_text(r, "output");
    if (*path == NULL && !r->json && !r->csv)
        *path = "-";
    for (size_t i = 0; as != NULL && i < sizeof forms / sizeof *forms; i++)
        if (strcmp(as, forms[i].name) == 0)
            how->form = forms[i].form;
    how->scale = (double)option_count(r, "scale", 0);
    if (*path != NULL && as == NULL && cr_picture_form_of(*path) == CR_PICTURE_AUTO)
        return misuse("the name ends in .svg, .png, .pdf or .txt; or say --as svg",
                      "-o %s: what kind of picture is that?", *path);
    if (*path != NULL && strcmp(*path, "-") == 0 && (r->json || r->csv))
        return misuse("-o FILE for the picture", "--%s writes to standard output",
                      r->json ? "json" : "csv");
    if (*path != NULL && strcmp(*path, "-") == 0 && out_is_terminal() && as != NULL &&
        (how->form == CR_PICTURE_PNG || how->form == CR_PICTURE_PDF))
        return misuse("-o FILE", "the terminal shows no %s", as);
    return *path != NULL ? check_output(*path, r, 1) : EXIT_DONE;
}

static int choose_size(const request *r, cr_figure *figure)
{
    const uint64_t width = option_count(r, "width", 420), height = option_count(r, "height", 330);
    cr_error err = {0};

    if (width < LEAST_POINTS || width > MOST_POINTS || height < LEAST_POINTS ||
        height > MOST_POINTS)
        return misuse(NULL, "a panel is %d to %d points wide and high", LEAST_POINTS, MOST_POINTS);
    return panel_added(
        cr_figure_layout(figure, (double)width, (double)height, option_count(r, "across", 0), &err),
        &err);
}

static int run(request *r)
{
    const plot_kind *kind = NULL;
    const char *path = NULL;
    cr_picture how = {0};
    plot p = {.r = r};
    int code;

    if ((code = find_kind(r->operands[0], &kind)) != EXIT_DONE)
        return code;
    if (r->operand_count < kind->least + 1)
        return misuse("credence help plot says more", "credence plot %s %s", kind->name,
                      kind->operands);
    if (r->csv && !kind->has_csv)
        return misuse("--json gives its numbers", "a picture of %s is not a table", kind->name);
    if ((code = choose_output(r, &path, &how)) != EXIT_DONE)
        return code;
    p.figure = new_figure();
    if ((code = choose_size(r, p.figure)) == EXIT_DONE)
        code = draw_kind(&p, kind->name, kind->draw);
    if (code == EXIT_DONE && path != NULL)
        code = put_picture(p.figure, path, &how);
    cr_figure_free(p.figure);
    return code;
}

static const char *const about[] = {
    "Draws a picture: to a file, whose name says its form (.svg, .png, .pdf), or in characters to "
    "the terminal. KIND is one of",
    "roc, pr, reliability, confusion MODEL [DATA...]: how good the answers of a model are on "
    "labelled DATA. ROC and precision-recall curves are of the second of two classes, of each "
    "class against the others, or of --class; the numbers in the legend are the area and the "
    "average precision.",
    "predicted, residuals, errors, coverage MODEL [DATA...]: the same for a regression model "
    "(linear, a Gaussian network): truth and residuals against the prediction; the errors beside "
    "their expected distribution; the share of truths inside intervals of each level, and how "
    "P(target <= truth) is spread, which should be even. --json has for each row line, truth, "
    "prediction, scale and place, which is that probability, and of coverage levels[].",
    "densities MODEL [DATA...]: the most informative features, by class: the densities that the "
    "model uses, over histograms of DATA, and for symbols P(value | class). A model without "
    "densities (logistic regression, a tree, a blend) has histograms and shares of DATA only.",
    "means MODEL: the mean of every number in each class as an image, pixel by pixel: of digits, "
    "of scans. --size is that of an image, or of a slice of a scan.",
    "mistake MODEL: the outcome of deciding by one number alone (-x), according to the model: the "
    "densities p(x, class), the regions in which each class is decided, and the mistakes shaded, "
    "whose area is p(mistake). --cost, --reject and --priors move the regions. Other features are "
    "unknown; the number must be a Gaussian in each class.",
    "surface MODEL... [DATA...]: what each model decides over two features, -x and -y, numbers or "
    "symbols: shaded by the posterior, with the boundary, the rows of DATA, and for naive Bayes "
    "and Gaussian discriminants the Gaussians at one, two and three standard deviations. Other "
    "features are missing, or what --at says.",
    "words MODEL: the words of a text that are the strongest evidence for a class, and against it.",
    "network MODEL (or a .bif file): the graph of a Bayesian network; an arc is thicker the more "
    "the parent changes the distribution of its child. With --beliefs each node shows how probable "
    "its values are, given a CONDITION of findings.",
    "tree MODEL: the questions of a decision tree, and the classes of the rows that came to each "
    "node.",
    "beta [NAME=]A,B... and dirichlet NAME=COUNT... (or A,B,C): the distribution of shares, with "
    "the central 95 % shaded. Counts get a prior, --prior.",
    "curve FILE: learning curves from the CSV of credence curve (--csv). lines FILE: column -y of "
    "a CSV file against column -x, a curve for each value of --by.",
    "SVG is the same to the byte on every machine. Colours can be told apart by the colour-blind; "
    "dashes and signs by those who print in black. --json gives the numbers that the picture "
    "shows, and with -o both. --csv gives those of roc (class, threshold, false_positive_rate, "
    "true_positive_rate), pr (class, threshold, recall, precision), reliability and confusion.",
    NULL,
};

static const option own[] = {
    {"output", 'o', OPTION_TEXT, "FILE",
     "File for the picture: .svg, .png, .pdf, .txt; - is the terminal. Default: -."},
    {"as", 0, OPTION_CHOICE, "svg|png|pdf|text", "Form of the picture. Default: by its name."},
    {"title", 0, OPTION_TEXT, "TEXT", "Title of each panel. Default: what is shown."},
    {"class", 0, OPTION_TEXT, "NAME", "The class to draw a curve or the words of."},
    {"feature", 'F', OPTION_TEXT, "NAME", "The feature, or the text, to draw."},
    {"top", 0, OPTION_COUNT, "N", "Features (6) or words (20) to draw at most."},
    {"bins", 0, OPTION_COUNT, "N", "Bars of a histogram. Default: by Freedman and Diaconis."},
    {"beliefs", 0, OPTION_TEXT, "CONDITION",
     "Of network: bars of P(value | CONDITION) in each node, as query has it; '' for no finding."},
    {"x", 'x', OPTION_TEXT, "COLUMN", "Horizontal axis. Default: the most informative feature."},
    {"y", 'y', OPTION_TEXT, "COLUMN",
     "Vertical axis. Default: the second most informative feature."},
    {"size", 0, OPTION_TEXT, "WxH",
     "Of means: width and height of an image in pixels. Default: one square image."},
    {"at", 0, OPTION_PAIR, "COLUMN=VALUE", "Value of another feature. Default: missing."},
    {"range", 0, OPTION_PAIR, "COLUMN=LOW:HIGH", "The part of an axis to draw. Default: all."},
    {"margins", 0, OPTION_FLAG, NULL,
     "Of surface: densities of the classes along both axes, where the model has them."},
    {"by", 0, OPTION_TEXT, "COLUMN", "Of lines: a curve for each value of it."},
    {"log", 0, OPTION_FLAG, NULL, "Of lines: a logarithmic horizontal axis."},
    {"prior", 0, OPTION_TEXT, "X", "Of dirichlet: added to each count. Default: 1."},
    {"width", 0, OPTION_COUNT, "POINTS", "Width of a panel, 72 to the inch. Default: 420."},
    {"height", 0, OPTION_COUNT, "POINTS", "Height of a panel. Default: 330."},
    {"across", 0, OPTION_COUNT, "N", "Panels side by side. Default: depends on their number."},
    {"scale", 0, OPTION_COUNT, "N", "Pixels of a PNG for each point. Default: 2."},
    ALLOW_ABSENT_OPTION,
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, &decide_options, &data_options, NULL};

static const example examples[] = {
    {"credence plot confusion iris.model iris.csv", "In the terminal."},
    {"credence plot roc tax.model tax.csv -o roc.svg", "A file for a browser, or for print."},
    {"credence plot coverage houses.model houses.csv -o coverage.svg",
     "Are the intervals of a linear regression as wide as they should be?"},
    {"credence plot surface one.model two.model iris.csv -x petal_length -y petal_width -o s.png",
     "What two models make of the same two features, side by side."},
    {"credence plot beta prior=2,2 posterior=53,51", "Before and after a hundred flips of a coin."},
    {"credence plot network alarm.net --beliefs 'J=j, M=m' -o alarm.svg",
     "What a network believes after two findings."},
    {"credence plot words --top 30 --json spam.model", "The numbers behind the picture."},
    {0},
};

const verb verb_plot = {
    .name = "plot",
    .operands = "KIND [MODEL...] [DATA...]",
    .least = 1,
    .most = SIZE_MAX,
    .summary = "draw surfaces, curves, densities and more",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "show test explain estimate",
    .run = run,
};
