// board.js - an explanation: the decision, the waterfall, the words of a text, the blackboard.
import {h, number, percent} from './lib.js';
import {chart} from './charts.js';

const WORDS = 10; // words of a text that have a bar of their own

// Factors as steps; a text gives its words that weigh most, and the others together.
function steps(factors) {
    return factors.filter((f) => !f.left_out).flatMap((f) => {
        if (!f.words) return [[f.value == null ? f.name : `${f.name} = ${f.value}`, f.log_odds]];
        const words = [...f.words].sort((a, b) => Math.abs(b.log_odds) - Math.abs(a.log_odds));
        const rest = f.log_odds - words.slice(0, WORDS).reduce((t, w) => t + w.log_odds, 0);
        return [...words.slice(0, WORDS).map((w) =>
            [w.times > 1 ? `“${w.word}” × ${w.times}` : `“${w.word}”`, w.log_odds]),
        ...(Math.abs(rest) > 1e-12 ? [[`rest of ${f.name}`, rest]] : [])];
    });
}

// The text with the words marked that speak for the decision, or against it.
function marked(text, words) {
    const odds = new Map(words.map((w) => [w.word, w.log_odds]));
    const pieces = text.split(/([\p{L}\p{N}'’]+)/u).map((piece) => {
        const weight = odds.get(piece) ?? odds.get(piece.toLowerCase());
        return weight == null ? piece : h('mark', {class: weight < 0 ? 'against' : 'for',
            title: `${weight < 0 ? 'against' : 'for'} the decision: ${weight.toFixed(2)}`}, piece);
    });
    return h('p', {class: 'words'}, pieces);
}

export function blackboard(work) {
    if (!work) return null;
    return h('div', {class: 'board', tabindex: 0, role: 'group', 'aria-label': 'Blackboard'},
        h('p', {}, work.heading), work.note && h('p', {}, work.note),
        work.sections.map((section) => [section.title && h('p', {}, h('b', {}, section.title)),
            h('table', {}, section.lines.map((line) =>
                h('tr', {}, h('td', {}, line.left), h('td', {}, line.right))))]),
        work.closing && h('p', {}, h('b', {}, work.closing)));
}

function ofNumber(e, target) {
    return [
        h('p', {class: 'answer'}, `${target} = `, h('strong', {}, number(e.prediction)),
            e.low != null && `, with ${Math.round(100 * e.level)} % between ${number(e.low)} and ` +
                number(e.high)),
        e.shares && h('h3', {}, 'Where it comes from'),
        e.shares && chart('water-fall', {start: e.base, end: target,
            steps: e.shares.map((f) => [f.missing ? `${f.column}: missing`
                : `${f.column} = ${f.value ?? ''}`, f.share])}),
        e.shares && h('p', {class: 'soft'},
            `It begins with the mean of the training rows, ${number(e.base)}.`),
    ];
}

function ofClass(e, values) {
    const posterior = Object.entries(e.posterior); // in the order of the classes, as their colours
    if (posterior.length > 12) posterior.sort((a, b) => b[1] - a[1]);
    const texts = (e.factors ?? []).filter((f) => f.words?.length && values[f.name]);
    return [
        h('p', {class: 'answer'}, h('strong', {}, e.prediction ?? 'undecided'), ', ',
            percent(e.posterior[e.prediction] ?? Math.max(...Object.values(e.posterior)))),
        chart('share-bars', posterior.slice(0, 12)),
        posterior.length > 12 && h('p', {class: 'soft'}, `and ${posterior.length - 12} more classes`),
        texts.map((f) => marked(values[f.name], f.words)),
        e.factors && h('h3', {}, `Why ${e.prediction} rather than ${e.against}`),
        e.factors && chart('water-fall', {steps: steps(e.factors), end: 'log-odds'}),
    ];
}

// What /explain or /predict says about a row; values are those of the form.
export function explained(e, target, values) {
    return [...(e.posterior ? ofClass(e, values) : ofNumber(e, target)),
        e.work && h('h3', {}, 'Blackboard'), blackboard(e.work)].flat(Infinity).filter(Boolean);
}
