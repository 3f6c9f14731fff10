/* src/belief.c - estimates with conjugate priors, and finite sets of hypotheses. */
#include "module.h"

#include <math.h>

/* --- numbers in and out ----------------------------------------------------------------------- */

/* The numbers of a sequence as an array. Free it with PyMem_Free. NULL with an exception. */
static double *numbers_from(PyObject *sequence, size_t *count)
{
    const Py_ssize_t size = PySequence_Size(sequence);
    double *x = size < 0 ? NULL : PyMem_Calloc((size_t)size + 1, sizeof *x);

    if (x == NULL)
        return size < 0 ? NULL : (PyErr_NoMemory(), NULL);
    for (Py_ssize_t i = 0; i < size && !PyErr_Occurred(); i++) {
        PyObject *item = PySequence_GetItem(sequence, i);

        x[i] = item == NULL ? 0 : PyFloat_AsDouble(item);
        Py_XDECREF(item);
    }
    if (PyErr_Occurred()) {
        PyMem_Free(x);
        return NULL;
    }
    *count = (size_t)size;
    return x;
}

static PyObject *distribution_tuple(const cr_distribution *d)
{
    return Py_BuildValue("(sddd)", cr_family_name(d->family), d->a, d->b, d->freedom);
}

static int distribution_from(PyObject *tuple, cr_distribution *out)
{
    const char *family;
    double a, b, freedom;

    if (!PyArg_ParseTuple(tuple, "sddd", &family, &a, &b, &freedom))
        return -1;
    switch (*family) {
    case 'b': *out = cr_beta(a, b); break;
    case 'g': *out = cr_gamma(a, b); break;
    case 'i': *out = cr_inverse_gamma(a, b); break;
    default: *out = cr_student(freedom, a, b);
    }
    return 0;
}

/* distribution((family, a, b, freedom), level) -> {mean, sd, mode, mode_kind, interval, highest} */
static PyObject *distribution(PyObject *module, PyObject *args)
{
    cr_interval central, piece[2];
    cr_distribution d;
    PyObject *tuple, *highest;
    cr_mode kind;
    double level, mode;
    size_t pieces;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!d", &PyTuple_Type, &tuple, &level) ||
        distribution_from(tuple, &d) != 0)
        return NULL;
    central = cr_distribution_central(&d, level);
    pieces = cr_distribution_highest(&d, level, piece);
    mode = cr_distribution_mode(&d, &kind);
    highest = pieces == 2 ? Py_BuildValue("[(dd)(dd)]", piece[0].low, piece[0].high, piece[1].low,
                                          piece[1].high)
                          : Py_BuildValue("[(dd)]", piece[0].low, piece[0].high);
    return highest == NULL
               ? NULL
               : Py_BuildValue("{s:d,s:d,s:d,s:s,s:(dd),s:N}", "mean", cr_distribution_mean(&d),
                               "sd", cr_distribution_sd(&d), "mode", mode, "mode_kind",
                               cr_mode_name(kind), "interval", central.low, central.high, "highest",
                               highest);
}

/* density((family, a, b, freedom), x) -> [p(x)] */
static PyObject *density(PyObject *module, PyObject *args)
{
    cr_distribution d;
    PyObject *tuple, *sequence, *list = NULL;
    size_t count = 0;
    double *x;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &tuple, &sequence) ||
        distribution_from(tuple, &d) != 0 || (x = numbers_from(sequence, &count)) == NULL)
        return NULL;
    list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *p = PyFloat_FromDouble(exp(cr_distribution_log_density(&d, x[i])));

        if (p == NULL || PyList_SetItem(list, (Py_ssize_t)i, p) != 0)
            Py_CLEAR(list);
    }
    PyMem_Free(x);
    return list;
}

/* versus(a, b, level) -> {greater, less, exact, mean, sd, difference, ratio, expected_loss} */
static PyObject *versus(PyObject *module, PyObject *args)
{
    cr_distribution a, b;
    PyObject *first, *second;
    cr_error err = {0};
    cr_status status;
    cr_versus v;
    double level;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!d", &PyTuple_Type, &first, &PyTuple_Type, &second, &level) ||
        distribution_from(first, &a) != 0 || distribution_from(second, &b) != 0)
        return NULL;
    if ((status = cr_distribution_compare(&a, &b, level, &v, &err)) != CR_OK)
        return raise_status(status, &err);
    return Py_BuildValue("{s:d,s:d,s:O,s:d,s:d,s:(dd),s:(dd),s:(dd)}", "greater", v.greater, "less",
                         v.less, "exact", v.exact ? Py_True : Py_False, "mean", v.mean, "sd", v.sd,
                         "difference", v.difference.low, v.difference.high, "ratio", v.ratio.low,
                         v.ratio.high, "expected_loss", v.loss_a, v.loss_b);
}

/* --- estimates -------------------------------------------------------------------------------- */

/* Parameters of a prior for this many outcomes: the given ones, or the same for each. */
static double *prior_values(const cr_prior *prior, size_t outcomes)
{
    double *value;

    if (prior->count != 0 && prior->count != outcomes) {
        PyErr_Format(PyExc_ValueError, "the prior has %zu parameters, there are %zu outcomes",
                     prior->count, outcomes);
        return NULL;
    }
    if ((value = PyMem_Calloc(outcomes + 1, sizeof *value)) == NULL)
        return (double *)(void *)PyErr_NoMemory();
    for (size_t i = 0; i < outcomes; i++)
        value[i] = prior->count == 0 ? prior->each : prior->value[i];
    return value;
}

static PyObject *share_list(const cr_share *share, size_t count)
{
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *item = Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:N}", "count", share[i].count,
                                       "prior", share[i].prior, "mle", share[i].mle, "map",
                                       share[i].map, "predictive", share[i].predictive, "posterior",
                                       distribution_tuple(&share[i].posterior));

        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* shares(counts, prior) -> (log_evidence, mode, [{count, mle, map, predictive, posterior}]) */
static PyObject *shares(PyObject *module, PyObject *args)
{
    PyObject *sequence, *result = NULL;
    cr_share *share = NULL;
    cr_prior prior = {0};
    cr_error err = {0};
    const char *text;
    double *count, *value = NULL;
    cr_shares all;
    cr_status status;
    size_t n = 0;

    (void)module;
    if (!PyArg_ParseTuple(args, "Oz", &sequence, &text) ||
        (count = numbers_from(sequence, &n)) == NULL)
        return NULL;
    if ((status = cr_prior_parse(&prior, CR_PRIOR_SHARES, text, &err)) != CR_OK)
        raise_status(status, &err);
    else if ((value = prior_values(&prior, n)) != NULL) {
        share = PyMem_Calloc(n + 1, sizeof *share);
        status = share == NULL ? CR_ENOMEM : cr_shares_estimate(count, value, n, share, &all, &err);
        if (status != CR_OK)
            raise_status(status, &err);
        else
            result = Py_BuildValue("(dsN)", all.log_evidence, cr_mode_name(all.mode),
                                   share_list(share, n));
    }
    cr_prior_free(&prior);
    PyMem_Free(share);
    PyMem_Free(value);
    PyMem_Free(count);
    return result;
}

static PyObject *normal_dict(const cr_normal *n)
{
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:N,s:N,s:N}", "observations", n->sample.n,
                         "log_evidence", n->log_evidence, "mle_mean", n->mle_mean, "mle_variance",
                         n->mle_variance, "map_mean", n->map_mean, "map_variance", n->map_variance,
                         "unbiased_variance", n->unbiased_variance, "mean",
                         distribution_tuple(&n->mean), "variance", distribution_tuple(&n->variance),
                         "next", distribution_tuple(&n->next));
}

/* normal(numbers, prior) -> dict */
static PyObject *normal(PyObject *module, PyObject *args)
{
    PyObject *sequence, *result = NULL;
    cr_sample sample;
    cr_prior prior = {0};
    cr_error err = {0};
    cr_normal out;
    cr_status status;
    const char *text;
    size_t n = 0;
    double *x;

    (void)module;
    if (!PyArg_ParseTuple(args, "Oz", &sequence, &text) || (x = numbers_from(sequence, &n)) == NULL)
        return NULL;
    if ((status = cr_prior_parse(&prior, CR_PRIOR_NORMAL, text, &err)) == CR_OK &&
        (status = cr_sample_of(&sample, x, n, &err)) == CR_OK &&
        (status = cr_normal_estimate(&out, &sample, &prior.normal, &err)) == CR_OK)
        result = normal_dict(&out);
    else
        raise_status(status, &err);
    cr_prior_free(&prior);
    PyMem_Free(x);
    return result;
}

static PyObject *rate_dict(const cr_rate *r, double level)
{
    const cr_forecast f = cr_rate_forecast(&r->posterior, 1, level);

    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:s,s:N,s:{s:d,s:d,s:d,s:(dd)}}", "events",
                         r->events, "exposure", r->exposure, "log_evidence", r->log_evidence, "mle",
                         r->mle, "map", r->map, "map_kind", cr_mode_name(r->mode), "posterior",
                         distribution_tuple(&r->posterior), "next", "mean", f.mean, "sd", f.sd,
                         "none", f.none, "interval", f.interval.low, f.interval.high);
}

/* rate(counts, exposures, prior, level) -> dict */
static PyObject *rate(PyObject *module, PyObject *args)
{
    PyObject *counts, *exposures, *result = NULL;
    double *count, *exposure = NULL, level;
    cr_prior prior = {0};
    cr_error err = {0};
    cr_status status;
    const char *text;
    size_t n = 0, m = 0;
    cr_rate out;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOzd", &counts, &exposures, &text, &level) ||
        (count = numbers_from(counts, &n)) == NULL)
        return NULL;
    if ((exposure = numbers_from(exposures, &m)) != NULL && n != m)
        PyErr_SetString(PyExc_ValueError, "there is not an exposure for each count");
    else if (exposure != NULL &&
             (status = cr_prior_parse(&prior, CR_PRIOR_RATE, text, &err)) == CR_OK &&
             (status = cr_rate_estimate(&out, count, exposure, n, prior.value[0], prior.value[1],
                                        &err)) == CR_OK)
        result = rate_dict(&out, level);
    else if (exposure != NULL)
        raise_status(status, &err);
    cr_prior_free(&prior);
    PyMem_Free(exposure);
    PyMem_Free(count);
    return result;
}

/* --- hypotheses ------------------------------------------------------------------------------- */

static PyObject *hypotheses_json(cr_hypotheses *h)
{
    cr_output *out = NULL;
    cr_error err = {0};
    cr_status status = cr_output_new(&out, NULL, NULL, &err);
    PyObject *text = NULL;

    if (status == CR_OK)
        status = cr_hypotheses_json(h, out);
    if (status != CR_OK) {
        cr_output_free(out);
        raise_status(status, &err);
    } else {
        text = output_text(out, status);
    }
    cr_hypotheses_free(h);
    return text;
}

/* read_hypotheses(path, flags, evidence, classes) -> JSON */
static PyObject *read_hypotheses(PyObject *module, PyObject *args)
{
    cr_hypotheses_options o = {.size = sizeof o};
    cr_hypotheses *h = NULL;
    cr_error err = {0};
    cr_status status;
    const char *path;

    (void)module;
    if (!PyArg_ParseTuple(args, "sIzz", &path, &o.flags, &o.evidence, &o.classes))
        return NULL;
    status = cr_hypotheses_read(&h, path, &o, &err);
    return status == CR_OK ? hypotheses_json(h) : raise_status(status, &err);
}

/* Add [(name, log likelihoods)], one after another. */
static int observe_all(cr_hypotheses *h, PyObject *evidence)
{
    cr_error err = {0};
    cr_status status = CR_OK;

    for (Py_ssize_t i = 0; status == CR_OK && i < PyList_Size(evidence); i++) {
        PyObject *sequence;
        const char *name;
        size_t count = 0;
        double *x;

        if (!PyArg_ParseTuple(PyList_GetItem(evidence, i), "sO", &name, &sequence) ||
            (x = numbers_from(sequence, &count)) == NULL)
            return -1;
        if (count != cr_hypotheses_count(h))
            PyErr_Format(PyExc_ValueError, "'%s' has %zu likelihoods, there are %zu hypotheses",
                         name, count, cr_hypotheses_count(h));
        else if ((status = cr_hypotheses_observe(h, name, x, &err)) != CR_OK)
            raise_status(status, &err);
        PyMem_Free(x);
        if (PyErr_Occurred())
            return -1;
    }
    return 0;
}

/* Votes: names of classes, and P(class | h), grouped by hypothesis. */
static int vote(cr_hypotheses *h, PyObject *classes, PyObject *votes, unsigned flags)
{
    size_t count, cells = 0;
    const char **name = texts_from(classes, &count);
    double *p = name == NULL ? NULL : numbers_from(votes, &cells);
    cr_error err = {0};
    cr_status status;

    if (p != NULL && cells != count * cr_hypotheses_count(h))
        PyErr_SetString(PyExc_ValueError, "there is not a vote of each hypothesis for each class");
    else if (p != NULL && (status = cr_hypotheses_vote(
                               h, name, count, p, flags & CR_HYPOTHESES_NORMALISE, &err)) != CR_OK)
        raise_status(status, &err);
    PyMem_Free(p);
    PyMem_Free(name);
    return PyErr_Occurred() ? -1 : 0;
}

/* hypotheses(names, priors, flags, [(evidence, log likelihoods)], classes, votes) -> JSON */
static PyObject *hypotheses(PyObject *module, PyObject *args)
{
    PyObject *names, *priors, *evidence, *classes, *votes;
    cr_hypotheses *h = NULL;
    const char **name;
    double *prior = NULL;
    cr_error err = {0};
    cr_status status;
    unsigned flags;
    size_t count, given = 0;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOIO!OO", &names, &priors, &flags, &PyList_Type, &evidence,
                          &classes, &votes) ||
        (name = texts_from(names, &count)) == NULL)
        return NULL;
    if (priors != Py_None && (prior = numbers_from(priors, &given)) != NULL && given != count)
        PyErr_SetString(PyExc_ValueError, "there is not a prior for each hypothesis");
    if (!PyErr_Occurred() &&
        (status = cr_hypotheses_new(&h, name, prior, count, flags, &err)) != CR_OK)
        raise_status(status, &err);
    PyMem_Free(prior);
    PyMem_Free(name);
    if (PyErr_Occurred() || observe_all(h, evidence) != 0 ||
        (classes != Py_None && vote(h, classes, votes, flags) != 0)) {
        cr_hypotheses_free(h);
        return NULL;
    }
    return hypotheses_json(h);
}

PyMethodDef belief_methods[] = {
    {"distribution", distribution, METH_VARARGS, NULL},
    {"density", density, METH_VARARGS, NULL},
    {"versus", versus, METH_VARARGS, NULL},
    {"shares", shares, METH_VARARGS, NULL},
    {"normal", normal, METH_VARARGS, NULL},
    {"rate", rate, METH_VARARGS, NULL},
    {"hypotheses", hypotheses, METH_VARARGS, NULL},
    {"read_hypotheses", read_hypotheses, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
