// rooms/lectures.js - Lectures: pages one can touch; every number on them is the engine's.
import {ask, h, latest, newId, number, pages, percent, problem, slider, table} from '../lib.js';
import {chart, key} from '../charts.js';
import {explained} from '../board.js';
import {said} from './ask.js';
import {census, petals, sports, tax} from '../tables.js';

// A page: what one can move, and what is shown for it. work(state, signal) asks, show(answer, state)
// gives the elements.
function touchable(controls, work, show, delay) {
    const out = h('section', {'aria-live': 'polite', 'aria-label': 'Result'});
    const run = latest(work, (answer, error) =>
        out.replaceChildren(...(error ? [problem(error)] : show(answer).flat(Infinity).filter(Boolean))), delay);
    const page = h('div', {class: 'two'}, h('form', {'aria-label': 'What can be changed',
        onsubmit: (e) => e.preventDefault()}, controls(run)), out);
    run();
    return page;
}

function tableBox(text, change, rows = 10) {
    const id = newId();
    const box = h('textarea', {id, rows, spellcheck: 'false', oninput: () => change(box.value)}, text);
    return h('div', {class: 'field'}, h('label', {for: id}, 'Table'), box);
}

function lineBox(label, text, change) {
    const id = newId();
    const box = h('input', {type: 'text', id, value: text, spellcheck: 'false', autocomplete: 'off',
        oninput: () => change(box.value)});
    return h('div', {class: 'field'}, h('label', {for: id}, label), box);
}

// --- coin ----------------------------------------------------------------------------------------

function coin() {
    const state = {a: 2, b: 2, heads: 7, tails: 3};
    const counts = h('p', {'aria-live': 'polite'});
    const tell = () => counts.replaceChildren(`${state.heads} heads, ${state.tails} tails`);
    const controls = (run) => {
        const set = (key) => (value) => {
            state[key] = value ?? 1;
            run();
        };
        const flip = (key, text) => h('button', {type: 'button', onclick: () => {
            state[key]++;
            tell();
            run();
        }}, text);
        tell();
        return [h('p', {}, 'A coin falls with heads with probability θ. The prior is Beta(a, b).'),
            slider('a', {low: .5, high: 30, step: .5, value: state.a, change: set('a')}),
            slider('b', {low: .5, high: 30, step: .5, value: state.b, change: set('b')}), counts,
            h('p', {}, flip('heads', 'Heads'), ' ', flip('tails', 'Tails'), ' ',
                h('button', {type: 'button', onclick: () => {
                    state.heads = state.tails = 0;
                    tell();
                    run();
                }}, 'Begin again'))];
    };
    return touchable(controls, (signal) => ask('/compute/estimate', {signal, body:
        {counts: [state.heads, state.tails], names: ['heads', 'tails'],
            prior: `beta:${state.a},${state.b}`}}), ({shares: [heads], curves}) => [
        chart('line-plot', {x: curves.x, from: 0, to: 1, label: 'Prior, likelihood and posterior of θ', lines: [
            {name: 'prior', y: curves.prior, dash: true}, {name: 'likelihood', y: curves.likelihood},
            {name: 'posterior', y: curves.posterior}].filter((l) => l.y)}),
        table(['estimate of θ', 'value'], [['maximum likelihood', heads.mle],
            ['maximum a posteriori', heads.map], ['the next flip is heads', heads.predictive],
            ['posterior', `Beta(${number(heads.posterior.a)}, ${number(heads.posterior.b)})`],
            ['95 % between', heads.posterior.central.map((v) => number(v)).join(' and ')]])]);
}

// --- hypotheses ----------------------------------------------------------------------------------

// The patient: two hypotheses, tests that come out positive one after the other.
function hypotheses() {
    const state = {prior: .008, sensitivity: .98, alarm: .03, tests: 1};
    const controls = (run) => [
        h('p', {}, 'A test for an illness comes out positive. Who is ill?'),
        [['prior', 'P(ill)', .001], ['sensitivity', 'P(positive | ill)', .01],
            ['alarm', 'P(positive | healthy)', .01]].map(([key, text, step]) =>
            slider(text, {low: 0, high: 1, step, value: state[key], change: (v) => {
                state[key] = v ?? 0;
                run();
            }})),
        slider('Positive tests', {low: 0, high: 5, step: 1, value: state.tests, change: (v) => {
            state.tests = Math.min(20, Math.max(0, Math.round(v ?? 0)));
            run();
        }})];
    const say = (name, prior, p, vote) => ({name, prior, likelihood: Array(state.tests).fill(p),
        votes: {treat: vote, wait: 1 - vote}});
    return touchable(controls, (signal) => ask('/compute/hypotheses', {signal, body: {
        hypotheses: [say('ill', state.prior, state.sensitivity, 1),
            say('healthy', 1 - state.prior, state.alarm, 0)],
        evidence: Array.from({length: state.tests}, (_, i) => `test ${i + 1}`)}}), (a) => [
        h('p', {class: 'answer'}, 'Most probable: ', h('strong', {}, String(a.map))),
        chart('share-bars', a.hypotheses.map((x) => [x.name, x.posterior])),
        table(['hypothesis', 'prior', 'posterior', 'bits of the prior', 'bits of the data'],
            a.hypotheses.map((x) => [x.name, x.prior, x.posterior, x.prior_bits, x.data_bits])),
        table(['what', 'value'], [['maximum likelihood', String(a.ml)],
            ['Bayes optimal decision', String(a.bayes_optimal)],
            ['its probability of error', a.optimal_error], ['error of the MAP hypothesis', a.map_error],
            ['error of Gibbs', a.gibbs_error]])]);
}

// --- joint table ---------------------------------------------------------------------------------

function joint() {
    const state = {table: census, query: 'P(wealth=rich | gender=female, hours=">40.5")'};
    const controls = (run) => [
        h('p', {}, 'A joint table answers every question. Type one, or change the table.'),
        lineBox('Question', state.query, (v) => {
            state.query = v;
            run();
        }), tableBox(state.table, (v) => {
            state.table = v;
            run();
        })];
    return touchable(controls, (signal) => ask('/compute/model', {signal, body: {table: state.table,
        weight: 'probability', learner: 'probabilities', queries: [state.query]}}),
    ({cells, answers: [answer]}) => [
        ...(answer.error ? [problem({message: answer.error + (answer.hint ? ` (${answer.hint})` : '')})]
            : said(answer)),
        h('h3', {}, 'The cells'),
        table(Object.keys(cells[0] ?? {}), cells.map((cell) => Object.values(cell)))], 150);
}

// --- naive Bayes on the blackboard ---------------------------------------------------------------

function board(intro, text, target, fields) {
    const state = {table: text, row: {...fields}};
    const controls = (run) => [h('p', {}, intro),
        Object.entries(fields).map(([name, value]) => lineBox(name, String(value), (v) => {
            state.row[name] = v === '' ? null : v;
            run();
        })), tableBox(state.table, (v) => {
            state.table = v;
            run();
        })];
    return touchable(controls, (signal) => ask('/compute/model', {signal, body: {table: state.table,
        target, learner: 'nb', work: true, rows: [state.row]}}),
    ({explanations: [e]}) => {
        e.work.heading = e.work.heading.replace(/^Line 0: /, '');
        return explained(e, target, state.row);
    }, 100);
}

const taxes = () => board('Who evades tax? Naive Bayes counts, and multiplies fractions. Change the ' +
    'row or the table; an empty field is missing.', tax, 'evade',
{refund: 'no', marital: 'married', income: '120'});
const game = () => board('Is the sentence about sports? Type another one.', sports, 'tag',
    {text: 'A very close game'});

// --- two Gaussians -------------------------------------------------------------------------------

const POINTS = 241, FROM = -8, TO = 8, STEP = (TO - FROM) / (POINTS - 1);
const LINE = Array.from({length: POINTS}, (_, i) => FROM + i * STEP);

// Two rows at mean ± sd have these moments; their weights are the prior.
function gaussianTable(s) {
    const rows = (name, mean, sd, prior) => [mean - sd, mean + sd].map((x) =>
        `${x},${name},${500 * prior}`);
    return ['x,class,weight', ...rows('C1', s.mean1, s.sd1, s.prior),
        ...rows('C2', s.mean2, s.sd2, 1 - s.prior)].join('\n') + '\n';
}

function gaussians() {
    const state = {mean1: -1.5, sd1: 1, mean2: 1.5, sd2: 1.5, prior: .5};
    const controls = (run) => [
        h('p', {}, 'Two classes, a Gaussian each. The boundary lies where P(C1) p(x | C1) and ' +
            'P(C2) p(x | C2) are equal; the smaller of both is the probability of a mistake.'),
        [['mean1', 'Mean of C1', -5, 5], ['sd1', 'Standard deviation of C1', .2, 3],
            ['mean2', 'Mean of C2', -5, 5], ['sd2', 'Standard deviation of C2', .2, 3],
            ['prior', 'P(C1)', .05, .95]].map(([key, text, low, high]) =>
            slider(text, {low, high, step: .05, value: state[key], change: (v) => {
                if (v == null) return;
                state[key] = v;
                run();
            }}))];
    return touchable(controls, (signal) => ask('/compute/model', {signal, body: {
        table: gaussianTable(state), target: 'class', weight: 'weight',
        types: ['x=real'], learner: 'nb:variance=class-feature:variance-estimate=mle',
        mistake: 'x', rows: LINE.map((x) => ({x}))}}), ({explanations, mistake}) => {
        const c1 = explanations.map((e) => Math.exp(e.score.C1));
        const c2 = explanations.map((e) => Math.exp(e.score.C2));
        const less = c1.map((v, i) => Math.min(v, c2[i]));
        const edges = mistake.regions.slice(1).map((r) => r.low);
        return [chart('line-plot', {x: LINE, label: 'Joint densities of two classes', shade: less,
            edges: edges.filter((e) => e > FROM && e < TO), lines: [{name: 'P(C1) p(x | C1)', y: c1}, {name: 'P(C2) p(x | C2)', y: c2, dash: true}]}),
        h('p', {class: 'answer'}, 'p(mistake) = ', h('strong', {}, percent(mistake.mistake))),
        h('p', {}, edges.length ? `Boundary at x = ${edges.map((e) => number(e, 3)).join(' and ')}.`
            : 'No boundary: one class is decided everywhere.')];
    });
}

// --- surfaces, learning curves, description length -----------------------------------------------

function surfaces() {
    const state = {table: petals};
    const learners = ['nb', 'gda', 'logistic', 'tree'];
    return touchable((run) => [
        h('p', {}, 'What learners make of the same rows: the colour is the most probable class, ' +
            'the strength how sure it is.'), tableBox(state.table, (v) => {
            state.table = v;
            run();
        }, 14)], (signal) => ask('/compute/surface', {signal, body: {table: state.table,
        target: 'species', learners, x: 'petal_length', y: 'petal_width', low: [0, 0], high: [8, 3],
        columns: 40, rows: 30}}), ({surfaces: all}) => [
        h('div', {class: 'even'}, all.map((f) => h('figure', {}, f.error
            ? problem({message: f.error}) : chart('surface-plot', f),
        h('figcaption', {}, f.learner)))),
        key(all.find((f) => f.classes)?.classes ?? []),
        h('p', {class: 'soft'}, 'Across: petal_length from 0 to 8; up: petal_width from 0 to 3.')], 400);
}

function curves() {
    const state = {table: petals};
    return touchable((run) => [
        h('p', {}, 'Gaussian naive Bayes against logistic regression as rows arrive: mean accuracy ' +
            'on rows that were held back.'), tableBox(state.table, (v) => {
            state.table = v;
            run();
        }, 14)], (signal) => ask('/compute/curve', {signal, body: {table: state.table,
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

function lengths() {
    const state = {table: petals};
    return touchable((run) => [
        h('p', {}, 'Minimum description length: bits for the model and bits for the classes, given ' +
            'the model. The shortest is best.'), tableBox(state.table, (v) => {
            state.table = v;
            run();
        }, 14)], (signal) => ask('/compute/accounts', {signal, body: {table: state.table,
        target: 'species'}}), ({best, models}) => [
        h('p', {class: 'answer'}, 'Shortest: ', h('strong', {}, best)),
        chart('share-bars', models.filter((m) => m.mdl != null).map((m) =>
            [m.name, m.mdl, `${number(m.mdl)} bits`]), {scaled: true}),
        table(['model', 'parameters', 'bits of parameters', 'of settings', 'of classes', 'together',
            'BIC', 'AIC'], models.map((m) => [m.name, m.parameters, m.parameter_bits, m.knob_bits,
            m.class_bits, m.mdl, m.bic, m.aic]))], 400);
}

const LECTURES = [['coin', 'Coin', coin], ['hypotheses', 'Hypotheses', hypotheses],
    ['joint', 'Joint table', joint], ['tax', 'Tax', taxes], ['game', 'A very close game', game],
    ['gaussians', 'Two Gaussians', gaussians], ['surfaces', 'Surfaces', surfaces],
    ['curves', 'Rows arrive', curves], ['lengths', 'Description length', lengths]];

class LecturesRoom extends HTMLElement {
    async enter(name) {
        const [id, title, make] = LECTURES.find(([n]) => n === name) ?? LECTURES[0];
        this.append(pages('Lectures', 'lectures', LECTURES.map(([n, t]) => [n, t]), id),
            h('h3', {}, title), make());
    }
}
customElements.define('lectures-room', LecturesRoom);
