// rooms/models.js - Models: a card for each; one model in detail with its pictures.
import {ask, askText, fileLink, h, modelPath, number, percent, picture, problem, table}
    from '../lib.js';
import {chart} from '../charts.js';
import {intake, typeOf} from '../intake.js';
import {judged} from './judge.js';

const features = (model) => model.columns.filter((c) => c.role === 'feature');
const plural = (n, what) => `${number(n, 12)} ${what}${n === 1 ? '' : 's'}`;

const LEARNERS = {nb: 'Naive Bayes', gda: 'Gaussian discriminants', logistic: 'Logistic regression',
    linear: 'Linear regression', tree: 'A tree', joint: 'A joint table', 'network-given': 'A network',
    network: 'A network', tan: 'A network, tree-augmented', poisson: 'Poisson regression',
    'candidate-elimination': 'A version space', ensemble: 'An ensemble'};

function origin(model) {
    const about = model.target ? `says ${model.target}` : 'has no target: every column can be asked';
    return h('p', {}, `${LEARNERS[model.learner] ?? model.learner}; `, model.rows > 0
        ? `learned from ${plural(model.rows, 'row')} with ${plural(features(model).length, 'feature')}`
        : `made of given tables, with ${plural(features(model).length, 'variable')}`, `; ${about}.`);
}

function classes(model) {
    const named = model.classes.filter((c) => c.name !== '');
    if (named.length === 0) return null;
    return h('div', {}, h('h4', {}, 'Classes'),
        chart('share-bars', named.slice(0, 12).map((c) => [c.name, c.prior])),
        named.length > 12 && h('p', {class: 'soft'}, `and ${named.length - 12} more`));
}

// Features by their information about the class in bits, if the model knows it.
function telling(model, most) {
    const known = (model.show?.features ?? []).filter((f) => f.bits > 1e-9)
        .sort((a, b) => b.bits - a.bits).slice(0, most);
    if (known.length === 0) return null;
    return h('div', {}, h('h4', {}, 'Most telling features'), chart('share-bars',
        known.map((f) => [f.name, f.bits, `${number(f.bits, 3)} bits`]), {scaled: true, plain: true}));
}

// --- quality and drift ---------------------------------------------------------------------------

// The server's metrics of a model: {judged_rows_total: …}.
function figures(metrics, name) {
    const label = `{model="${name.replace(/[\\"]/g, '\\$&')}"}`;
    return Object.fromEntries(metrics.split('\n').filter((l) => l.includes(label)).map((l) => {
        const [key, value] = l.split(label);
        return [key.replace('credence_', ''), Number(value)];
    }));
}

// Tested: by a file in Judge, by the labels of lessons, by the choice of auto.
function quality(model, metrics) {
    if (!model.target) return null;
    const said = [], {judged_rows_total: rows, judged_right_total: right} = figures(metrics, model.name);
    const test = judged(model), tried = model.show?.tried?.find((t) => t.chosen);
    if (test) said.push(`${test.file}: ${test.accuracy == null ? `R² ${number(test.r2, 3)}`
        : `accuracy ${percent(test.accuracy)}, log loss ${number(test.log_loss, 3)}`}`);
    if (rows > 0) said.push(`lessons that came: ${percent(right / rows)} of ${number(rows, 12)} right`);
    if (tried?.accuracy != null) said.push(`cross-validation: accuracy ${percent(tried.accuracy)}`);
    return h('div', {}, h('h4', {}, 'How good'), said.length ? h('ul', {}, said.map((t) => h('li', {}, t)))
        : h('p', {class: 'soft'}, 'Not tested here yet. ',
            h('a', {href: `#judge/${encodeURIComponent(model.name)}`}, 'Judge it')));
}

// Whether the rows it is asked about look like its training data (with --drift).
function drift(metrics, model) {
    const {drift_index: index, drift_features: features} = figures(metrics, model.name);
    return index == null || Number.isNaN(index) ? null : h('p', {}, `Drift of what it is asked: index ` +
        `${number(index, 3)}, ${features > 0 ? `${features} features have changed` : 'no feature has changed'}.`);
}

function driftTable(d) {
    return [h('p', {class: 'answer'}, d.drifted > 0 ? `${d.drifted} of ${d.features.length} features have ` +
        'changed' : 'No feature has changed', `, ${number(d.rows, 12)} rows.`),
    table(['feature', 'verdict', 'index', 'p', 'mean before', 'mean now'], d.features.map((f) =>
        [f.name, f.verdict, f.index, f.p_corrected ?? f.p, f.mean_before, f.mean_after]), 'Drift')];
}

function compare(model) {
    const out = h('div', {'aria-live': 'polite'});
    return [h('h4', {}, 'Drift'), ...intake('Drop a file to see whether its rows look like those that ' +
        'the model has learned, or choose one', 'Compare', async (file) => {
        try {
            out.replaceChildren(...driftTable(await ask(modelPath(model.name,
                `/drift?allow-absent&${new URLSearchParams({filename: file.name})}`),
            {body: file, type: typeOf(file)})));
        } catch (error) {
            out.replaceChildren(problem(error));
        }
    }), out];
}

// --- features -------------------------------------------------------------------------------------

const TABLES = 6; // features shown in detail

// A feature: P(value | class) as a table, or the densities as a picture.
function feature(model, f) {
    const names = model.classes.map((c) => c.name);
    if (f.values)
        return h('figure', {}, table([f.name, ...names.map((n) => `P(· | ${n})`)], f.values.slice(0, 12)
            .map((v) => [v.value, ...v.probability]), f.name),
        h('figcaption', {}, `${f.name}: ${number(f.bits, 3)} bits`));
    return f.gaussian && model.learner === 'nb' ? picture(modelPath(model.name,
        `/plot/densities.svg?${new URLSearchParams({feature: f.name})}`),
    `Densities of ${f.name}: ${number(f.bits, 3)} bits`) : null;
}

function laidOpen(model) {
    const all = (model.show?.features ?? []).filter((f) => f.values?.[0]?.probability || f.gaussian)
        .sort((a, b) => (b.bits ?? 0) - (a.bits ?? 0)).slice(0, TABLES)
        .map((f) => feature(model, f)).filter(Boolean);
    return all.length ? [h('h4', {}, 'The most telling, laid open'), h('div', {class: 'even'}, all)] : [];
}

const isNetwork = (model) => model.learner.startsWith('network') || model.learner === 'tan';

function links(model, inside) {
    const name = encodeURIComponent(model.name);
    return h('p', {class: 'links'},
        !inside && h('a', {href: `#models/${name}`}, 'Look inside'),
        h('a', {href: `#ask/${name}`}, 'Ask'),
        isNetwork(model) && h('a', {href: `#networks/${name}`}, 'Network'),
        fileLink(modelPath(model.name, '/report'), 'Report', `${model.name}.html`),
        fileLink(modelPath(model.name, '/file'), 'File', `${model.name}.model`));
}

function card(model, metrics) {
    if (model.error)
        return h('article', {class: 'card'}, h('h3', {}, model.name),
            h('p', {class: 'wrong'}, model.error));
    return h('article', {class: 'card'}, h('h3', {}, model.name), origin(model), classes(model),
        telling(model, 4), quality(model, metrics), drift(metrics, model), links(model));
}

// The kinds of picture that fit the model's columns.
function pictures(model) {
    const has = (kind) => features(model).filter((c) => c.kind === kind).length;
    const many = model.classes.filter((c) => c.name !== '').length > 1;
    const plot = (kind, caption) => picture(modelPath(model.name, `/plot/${kind}.svg`), caption);
    return [
        isNetwork(model) && plot('network', 'The network; thick arcs tell more'),
        many && has('real') > 1 && has('real') === features(model).length &&
            plot('surface', 'Decisions over the two most telling numbers'),
        many && model.learner === 'nb' && has('bag') > 0 && plot('words', 'Words that tell most'),
    ].filter(Boolean);
}

// Everything about the model, except the words of texts, which may be very many.
async function lookAt(name) {
    const model = await ask(modelPath(name, '?brief'));
    return model.columns.some((c) => c.kind === 'bag') ? model : ask(modelPath(name));
}

const readMetrics = () => askText('/metrics').catch(() => '');

class ModelsRoom extends HTMLElement {
    async enter(name) {
        if (name) return this.open(name);
        const {models} = await ask('/models');
        if (models.length === 0)
            return this.append(h('p', {}, 'No model is served. Start the server with a folder of models.'));
        const cards = h('div', {class: 'cards'});
        this.append(cards);
        const [metrics, ...all] = await Promise.all([readMetrics(), ...models.map((m) =>
            m.error ? m : lookAt(m.name).catch((e) => ({...m, error: e.message})))]);
        cards.append(...all.map((m) => card(m, metrics)));
    }

    async open(name) {
        const [metrics, model] = await Promise.all([readMetrics(), lookAt(name)]);
        const drawn = pictures(model);
        this.append(h('p', {}, h('a', {href: '#models'}, 'All models')), h('h3', {}, model.name),
            origin(model), links(model, true),
            h('div', {class: 'even'}, classes(model) ?? '', telling(model, 12) ?? '',
                h('div', {}, quality(model, metrics), drift(metrics, model))),
            ...laidOpen(model),
            h('h4', {}, 'Columns'),
            table(['column', 'kind', 'role', 'mean', 'standard deviation', 'values'],
                model.columns.map((c) => [c.name, c.kind, c.role, c.mean, c.sd,
                    c.values ? c.values.slice(0, 12).join(', ') + (c.values.length > 12 ? ', …' : '')
                        : ''])),
            ...(drawn.length ? [h('h4', {}, 'Pictures'), h('div', {class: 'even'}, drawn)] : []),
            ...(model.rows > 0 ? compare(model) : []));
    }
}
customElements.define('models-room', ModelsRoom);
