// lectures/learning.js - learners on the same rows, compared.
import {ask, h, number, problem, table} from '../lib.js';
import {chart, key} from '../charts.js';
import {petals, rooms, sport} from '../tables.js';
import {lineBox, tableBox, touchable} from './page.js';

const VERSIONS = ['candidate-elimination', 'tree', 'nb:variance=class-feature'];
const NAMES = {'candidate-elimination': 'version space', [VERSIONS[2]]: 'naive Bayes', nb: 'naive Bayes',
    gda: 'Gaussian discriminants', logistic: 'logistic regression'};

// Surfaces of learners over two columns, side by side.
function side(all, about) {
    return [h('div', {class: 'even small'}, all.map((f) => h('figure', {}, f.error
        ? problem({message: f.error}) : chart('surface-plot', f), h('figcaption', {}, NAMES[f.learner] ?? f.learner)))),
    key(all.find((f) => f.classes)?.classes ?? []), h('p', {class: 'soft'}, about)];
}

// --- candidate elimination -----------------------------------------------------------------------

const drawn = (lines) => h('pre', {class: 'board', tabindex: 0, 'aria-label': 'Version space'},
    lines.map((l) => '  '.repeat(l.depth) + l.text).join('\n'));

function versions(state, target, surface) {
    return async () => Promise.all([
        ask('/compute/model', {body: {table: state.table, target, learner: VERSIONS[0]}}),
        surface && ask('/compute/surface', {body: {table: state.table, target, learners: VERSIONS,
            ...surface}})]);
}

export function elimination() {
    const state = {table: rooms};
    return touchable((run) => [
        h('p', {}, 'Which sizes are comfortable? A version space holds every box that is right on all ' +
            'rows: its bounds are the most specific and the most general boxes, and the boxes between ' +
            'them vote. Beside it: a tree, and naive Bayes. Change a row, and look.'),
        tableBox(state.table, (v) => {
            state.table = v;
            run();
        }, 14)], versions(state, 'comfortable', {x: 'width', y: 'length', low: [0, 0],
        high: [10, 10], columns: 40, rows: 40}), ([{model}, {surfaces: all}]) => [
        h('h4', {}, 'The version space'), drawn(model.drawing),
        h('h4', {}, 'What they say elsewhere'),
        side(all, 'Across: width from 0 to 10; up: length from 0 to 10. Full colours are sure.')], 300);
}

export function conjunctions() {
    const state = {table: sport, row: {}};
    return touchable((run) => [
        h('p', {}, 'On which days does Aldo enjoy his sport? The bounds of the version space after ' +
            'the rows of the table (Mitchell, Machine Learning, chapter 2). Take rows away and put ' +
            'them back to see each step.'), tableBox(state.table, (v) => {
            state.table = v;
            run();
        }, 6)], versions(state, 'enjoy'), ([{model}]) => [drawn(model.drawing)], 200);
}

// --- surfaces ------------------------------------------------------------------------------------

export function surfaces() {
    const state = {table: petals};
    return touchable((run) => [
        h('p', {}, 'What learners make of the same rows: the colour is the most probable class, ' +
            'the strength how sure it is.'), tableBox(state.table, (v) => {
            state.table = v;
            run();
        }, 14)], () => ask('/compute/surface', {body: {table: state.table, target: 'species',
        learners: ['nb', 'gda', 'logistic', 'tree'], x: 'petal_length', y: 'petal_width',
        low: [0, 0], high: [8, 3], columns: 40, rows: 30}}), ({surfaces: all}) =>
        side(all, 'Across: petal_length from 0 to 8; up: petal_width from 0 to 3.'), 400);
}

// --- as rows arrive, description length ----------------------------------------------------------

export function curves() {
    const state = {table: petals};
    return touchable((run) => [
        h('p', {}, 'Gaussian naive Bayes against logistic regression as rows arrive: mean accuracy ' +
            'on rows that were held back.'), tableBox(state.table, (v) => {
            state.table = v;
            run();
        }, 14)], () => ask('/compute/curve', {body: {table: state.table,
        target: 'species', learners: 'nb,logistic', repeats: 5, seed: 1}}), ({points}) => {
        const sizes = [...new Set(points.map((p) => p.size))].sort((a, b) => a - b);
        const of = (learner) => sizes.map((size) =>
            points.find((p) => p.learner === learner && p.size === size)?.accuracy ?? NaN);
        return [chart('line-plot', {x: sizes, low: 0, high: 1, label: 'Accuracy by training rows',
            lines: [{name: 'naive Bayes', y: of('nb')}, {name: 'logistic regression',
                y: of('logistic'), dash: true}]}),
        table(['learner', 'rows', 'accuracy', 'log loss'],
            points.map((p) => [p.learner, p.size, p.accuracy, p.log_loss]))];
    }, 400);
}

export function lengths() {
    const state = {table: petals};
    return touchable((run) => [
        h('p', {}, 'Minimum description length: bits for the model and bits for the classes, given ' +
            'the model. The shortest is best.'), tableBox(state.table, (v) => {
            state.table = v;
            run();
        }, 14)], () => ask('/compute/accounts', {body: {table: state.table,
        target: 'species'}}), ({best, models}) => [
        h('p', {class: 'answer'}, 'Shortest: ', h('strong', {}, best)),
        chart('share-bars', models.filter((m) => m.mdl != null).map((m) =>
            [m.name, m.mdl, `${number(m.mdl)} bits`]), {scaled: true}),
        table(['model', 'parameters', 'bits of parameters', 'of settings', 'of classes', 'together',
            'BIC', 'AIC'], models.map((m) => [m.name, m.parameters, m.parameter_bits, m.knob_bits,
            m.class_bits, m.mdl, m.bic, m.aic]))], 400);
}
