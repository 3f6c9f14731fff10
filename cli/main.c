/* cli/main.c - the command `credence`: find the verb and run it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credence/credence.h"
#include "help/help.h"
#include "out/out.h"
#include "session/team.h"
#include "verbs/external.h"
#include "verbs/verbs.h"

static int run_verb(const verb *v, int argc, char **argv)
{
    request r;
    int code;

    out_fail_as(v->failure);
    code = request_parse(&r, v, argc, argv);
    if (code == EXIT_DONE && option_given(&r, "help"))
        help_verb(v);
    else if (code == EXIT_DONE && option_given(&r, "version"))
        printf("credence %s\n", cr_version());
    else if (code == EXIT_DONE)
        code = v->run(&r);
    request_free(&r);
    return code;
}

static int unknown_verb(const char *name)
{
    const char *near = verb_nearest(name);
    char hint[80] = "credence help lists the verbs";

    if (near != NULL)
        snprintf(hint, sizeof hint, "did you mean credence %s?", near);
    return misuse(hint, "there is no verb '%s'", name);
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    const verb *v;
    int code = EXIT_DONE;

    /* OpenBLAS would start threads when it is loaded, which wait busily and are never used: it is
     * told so while there is one thread, as the environment is read without a lock. */
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    out_guard();
    out_setup("auto", false);
    if ((code = team_join()) != EXIT_DONE) {
        return out_close(code);
    } else if (word == NULL) {
        help_overview(stderr);
        code = EXIT_MISUSE;
    } else if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("credence %s\n", cr_version());
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        help_overview(stdout);
    } else if (*word == '-') {
        code = misuse("credence VERB --help lists the options of a verb",
                      "a verb comes before the options: credence VERB %s", word);
    } else if ((v = verb_find(word)) != NULL) {
        code = run_verb(v, argc - 2, argv + 2);
    } else if (external_find(word) != NULL) {
        code = external_run(external_find(word), argv + 1);
    } else {
        code = unknown_verb(word);
    }
    return team_leave(out_close(code));
}
