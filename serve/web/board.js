// board.js - an explanation: the decision, the waterfall, the words of a text, the derivation.
import {h, number, percent, problem} from './lib.js';
import {chart} from './charts.js';

const WORDS = 10; // words of a text that have a bar of their own
const CLASSES = 12; // classes that have a bar of their own

// Factors as steps; a text shows its strongest words, and the others together.
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

// What other priors, or a calibration, add to the log-odds of the factors.
function adjusted(e) {
    const shift = Math.log(e.posterior[e.prediction] / e.posterior[e.against]) - e.log_odds;
    return Number.isFinite(shift) && Math.abs(shift) > 1e-6 ? [['priors, calibration', shift]] : [];
}

// The colours of the decided class and of the one it is compared with.
function colours(e) {
    const names = Object.keys(e.posterior ?? {});
    return [e.prediction, e.against].map((name) => Math.max(names.indexOf(name), 0) % 6);
}

// The text with each word in the colour of the class it supports; stronger words are more intense.
function marked(text, words, [own, other]) {
    const odds = new Map(words.map((w) => [w.word, w.log_odds]));
    const most = Math.max(...words.map((w) => Math.abs(w.log_odds)), 1e-9);
    return h('p', {class: 'words'}, text.split(/([\p{L}\p{N}'’]+)/u).map((piece) => {
        const weight = odds.get(piece) ?? odds.get(piece.toLowerCase());
        if (weight == null) return piece;
        const mark = h('mark', {class: weight < 0 ? 'against' : 'for',
            title: `${weight < 0 ? 'against' : 'for'} the decision: ${weight.toFixed(2)}`}, piece);
        mark.style.setProperty('--colour', `var(--c${weight < 0 ? other : own})`);
        mark.style.setProperty('--weight', `${10 + Math.round(35 * Math.abs(weight) / most)}%`);
        return mark;
    }));
}

export function blackboard(work) {
    return h('div', {class: 'board', tabindex: 0, role: 'group', 'aria-label': 'Blackboard'},
        h('p', {}, work.heading.replace(/^Line \d+: /, '')), work.note && h('p', {}, work.note),
        work.sections.map((section) => [section.title && h('p', {}, h('b', {}, section.title)),
            h('table', {role: 'presentation'}, section.lines.map((line) =>
                h('tr', {}, h('td', {}, line.left), h('td', {}, line.right))))]),
        work.closing && h('p', {}, h('b', {}, work.closing)));
}

function numberAnswer(e, target) {
    return [`${target} = `, h('strong', {}, number(e.prediction)),
        e.low != null && `, with ${Math.round(100 * e.level)} % between ${number(e.low)} and ` +
            number(e.high)];
}

function classAnswer(e) {
    const p = e.posterior?.[e.prediction] ?? Math.max(...Object.values(e.posterior ?? {}), 0);
    return [h('strong', {}, e.prediction ?? 'undecided'), e.posterior ? `, ${percent(p)}` : '',
        e.expected_cost != null && e.prediction != null &&
            h('span', {class: 'soft small'}, ` expected to cost ${number(e.expected_cost)}`),
        e.reason && h('span', {class: 'soft small'}, `: ${e.reason}`)];
}

function shares(e) {
    const posterior = Object.entries(e.posterior ?? {}); // in the order of the classes: their colours
    if (posterior.length > CLASSES) posterior.sort((a, b) => b[1] - a[1]);
    return [posterior.length > 0 && chart('share-bars', posterior.slice(0, CLASSES)),
        posterior.length > CLASSES &&
            h('p', {class: 'soft'}, `and ${posterior.length - CLASSES} more classes`)];
}

function threshold(e) {
    if (!e.threshold || !e.posterior) return null;
    const {class: name, low, high} = e.threshold;
    return chart('threshold-line', {name, p: e.posterior[name], low, high});
}

function why(e, target, values) {
    if (e.shares) return [h('h3', {}, 'Where it comes from'), chart('water-fall', {start: e.base,
        end: target, steps: e.shares.map((f) => [f.missing ? `${f.column}: missing`
            : `${f.column} = ${f.value ?? ''}`, f.share])}),
    h('p', {class: 'soft'}, `It begins with the mean of the training rows, ${number(e.base)}.`)];
    const texts = (e.factors ?? []).filter((f) => f.words?.length && values[f.name]);
    return [texts.length > 0 && h('h3', {}, 'Words for and against'),
        texts.map((f) => marked(values[f.name], f.words, colours(e))),
        e.factors && e.against != null && [h('h3', {}, `Why ${e.prediction} rather than ${e.against}`),
            chart('water-fall', {steps: [...steps(e.factors), ...adjusted(e)], end: 'log-odds', colours: colours(e)})],
        e.members && [h('h3', {}, 'What the members say'), h('ul', {}, e.members.map((m) =>
            h('li', {}, `${m.name}: ${m.prediction ?? 'undecided'}, weight ${number(m.weight, 3)}`)))]];
}

// The answer of /explain or /predict for a row; call show(answer, values) whenever it changes. A
// screen reader reads only the decision. The caller fills the part between why and the derivation.
export function explanation(target, between) {
    const answer = h('p', {class: 'answer', role: 'status'});
    const rest = h('div', {}), board = h('div', {});
    const put = (element, ...children) =>
        element.replaceChildren(...children.flat(Infinity).filter(Boolean));
    return {
        element: h('section', {'aria-label': 'Answer'}, answer, rest, between, board),
        show(e, values) {
            put(answer, e.posterior !== undefined ? classAnswer(e) : numberAnswer(e, target));
            put(rest, shares(e), threshold(e), why(e, target, values));
            put(board, e.work && blackboard(e.work));
        },
        fail(error) {
            put(answer);
            put(rest, problem(error));
            put(board);
        },
    };
}
