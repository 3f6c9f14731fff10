// lectures/chance.js - a coin, a die, hypotheses, a joint table.
import {ask, h, number, problem, slider, table} from '../lib.js';
import {chart} from '../charts.js';
import {said} from '../rooms/ask.js';
import {census} from '../tables.js';
import {button, lineBox, setter, tableBox, touchable} from './page.js';

// --- coin ----------------------------------------------------------------------------------------

export function coin() {
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
    return touchable(controls, () => ask('/compute/estimate', {body:
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

// --- die -----------------------------------------------------------------------------------------

const FACES = ['1', '2', '3', '4', '5', '6'];

export function die() {
    const state = {alpha: 1, counts: FACES.map(() => 0), weight: 3};
    const counts = h('p', {'aria-live': 'polite'});
    const controls = (run) => {
        const again = () => {
            counts.replaceChildren(`Thrown ${state.counts.reduce((a, b) => a + b)} times: ` +
                state.counts.join(', '));
            run();
        };
        const add = (i) => {
            state.counts[i]++;
            again();
        };
        // A loaded die: the six has the given weight, the others one each.
        const roll = (times) => {
            for (let n = 0; n < times; n++)
                state.counts[Math.min(5, Math.floor(Math.random() * (5 + state.weight)))]++;
            again();
        };
        const set = setter(state, run);
        queueMicrotask(again);
        return [h('p', {}, 'A die falls on each of its faces with a probability that nobody knows. ' +
            'The prior is a Dirichlet distribution with the same α for each.'),
        slider('α of each face', {low: .1, high: 20, step: .1, value: state.alpha,
            change: set('alpha', 1)}),
        h('p', {}, FACES.map((f, i) => [button(f, () => add(i)), ' '])),
        slider('Weight of the six, where the others have 1', {low: 1, high: 10, step: 1,
            value: state.weight, change: (v) => { state.weight = Math.max(1, v ?? 1); }}),
        h('p', {}, button('Throw it once', () => roll(1)), ' ', button('Throw it 100 times',
            () => roll(100)), ' ', button('Begin again', () => {
            state.counts.fill(0);
            again();
        })), counts];
    };
    return touchable(controls, () => ask('/compute/estimate', {body: {counts: state.counts,
        names: FACES, prior: FACES.map(() => state.alpha)}}), ({shares}) => [
        h('h4', {}, 'The next throw'), chart('share-bars', shares.map((s) => [s.name, s.predictive])),
        table(['face', 'maximum likelihood', 'maximum a posteriori', 'next throw', '95 % between'],
            shares.map((s) => [s.name, s.mle, s.map, s.predictive,
                s.posterior.central.map((v) => number(v, 2)).join('–')]), 'Estimates')]);
}

// --- hypotheses ----------------------------------------------------------------------------------

// The patient: two hypotheses, and a series of positive tests.
export function hypotheses() {
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
    return touchable(controls, () => ask('/compute/hypotheses', {body: {
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

export function joint() {
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
    return touchable(controls, () => ask('/compute/model', {body: {table: state.table,
        weight: 'probability', learner: 'probabilities', queries: [state.query]}}),
    ({cells, answers: [answer]}) => [
        ...(answer.error ? [problem({message: answer.error + (answer.hint ? ` (${answer.hint})` : '')})]
            : said(answer)),
        h('h3', {}, 'The cells'),
        table(Object.keys(cells[0] ?? {}), cells.map((cell) => Object.values(cell)))], 150);
}
