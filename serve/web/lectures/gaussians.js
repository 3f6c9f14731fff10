// lectures/gaussians.js - Gaussian classes: the boundary, the regions, p(mistake).
import {ask, h, number, percent, slider, table} from '../lib.js';
import {chart} from '../charts.js';
import {setter, touchable} from './page.js';

const FROM = -8, TO = 8;

const asked = (s) => ({classes: [{name: 'C1', mean: s.mean1, sd: s.sd1, prior: s.prior},
    {name: 'C2', mean: s.mean2, sd: s.sd2, prior: 1 - s.prior}],
cost: `C1->C2=${s.cost1}, C2->C1=${s.cost2}`, low: FROM, high: TO, points: 321,
...(s.reject == null ? {} : {reject: s.reject})});

function controls(state, run) {
    const set = setter(state, run);
    const one = ([key, text, low, high, step = .05]) =>
        slider(text, {low, high, step, value: state[key], change: set(key)});
    return [h('p', {}, 'Two classes, a Gaussian each. Deciding cuts the line into the regions R1 and ' +
        'R2; where a class lies in the other one’s region, it is mistaken. Without costs the boundary is ' +
        'where P(C1) p(x | C1) = P(C2) p(x | C2), and p(mistake) is as small as it can be.'),
    [['mean1', 'Mean of C1', -5, 5], ['sd1', 'Standard deviation of C1', .2, 3],
        ['mean2', 'Mean of C2', -5, 5], ['sd2', 'Standard deviation of C2', .2, 3],
        ['prior', 'P(C1)', .05, .95], ['cost1', 'Cost of deciding C2 where it is C1', 0, 20, .5],
        ['cost2', 'Cost of deciding C1 where it is C2', 0, 20, .5]].map(one),
    slider('Cost of no decision', {low: 0, high: 1, step: .02, none: 'decide all',
        change: set('reject', null)})];
}

const place = (v, end) => (v == null ? end : number(v, 3));

function shown({mistake, cost, rejected, regions, parts, x, densities}) {
    const wrong = parts.filter((p) => p.decision != null && p.truth !== p.decision);
    return [chart('line-plot', {x, label: 'Joint densities of two classes, the regions of decisions, ' +
        `and the mistakes: p(mistake) is ${percent(mistake)}`,
    shades: densities.map((d) => d.mistakes), from: FROM, to: TO,
    regions: regions.map((r) => ({low: r.low ?? FROM, high: r.high ?? TO,
        name: r.decision == null ? '' : r.decision.replace('C', 'R'),
        index: densities.findIndex((d) => d.name === r.decision)})),
    lines: densities.map((d, i) => ({name: `P(${d.name}) p(x | ${d.name})`, y: d.joint, dash: i > 0}))}),
    h('p', {class: 'answer'}, 'p(mistake) = ', h('strong', {}, percent(mistake)),
        h('span', {class: 'soft small'}, ` expected cost ${number(cost)}` +
            (rejected > 0 ? `, undecided ${percent(rejected)}` : ''))),
    table(['region', 'from', 'to', 'decision'], regions.map((r) => [
        r.decision == null ? '–' : r.decision.replace('C', 'R'), place(r.low, '−∞'),
        place(r.high, '∞'), r.decision ?? 'none']), 'Regions'),
    table(['mistake', 'probability'], wrong.map((p) =>
        [`${p.truth} taken for ${p.decision}`, percent(p.probability)]), 'Mistakes')];
}

export function gaussians() {
    const state = {mean1: -1.5, sd1: 1, mean2: 1.5, sd2: 1.5, prior: .5, cost1: 1, cost2: 1,
        reject: null};
    return touchable((run) => controls(state, run),
        () => ask('/compute/gaussians', {body: asked(state)}), shown);
}
