// rooms/ask.js - Ask: a form made from the columns, and the answer beside it as the user types.
import {ask, askText, h, latest, modelPath, newId, number, pages, percent, picks, problem, save,
    slider, table} from '../lib.js';
import {chart} from '../charts.js';
import {explanation} from '../board.js';
import {intake, readCsv, typeOf} from '../intake.js';

const WORKED = 8; // largest number of columns for which the derivation is open at first
const SHOWN = 50; // rows of a file that are shown

// Steps of a slider: a round number, about two hundred of them.
function stepOf(low, high) {
    return Math.max(10 ** Math.floor(Math.log10((high - low) / 100)), Number.MIN_VALUE);
}

function textBox(name, value, change) {
    const id = newId();
    const box = h('textarea', {id, rows: 6, placeholder: 'missing',
        oninput: () => change(box.value)}, value ?? '');
    return h('div', {class: 'field'}, h('label', {for: id}, name), box);
}

export function field(column, value, change) {
    const {name, kind, low, high, values} = column;
    if (kind === 'real' && high > low) {
        const step = stepOf(low, high);
        const down = Math.floor(low / step) * step, up = Math.ceil(high / step) * step;
        return slider(name, {low: Number(down.toPrecision(12)), high: Number(up.toPrecision(12)),
            step, value: value != null ? Number(value) : null, change});
    }
    if (values) return picks(name, values, value, (v) => change(v === '' ? null : v), 'missing');
    if (kind === 'real') {
        const id = newId();
        const box = h('input', {type: 'number', step: 'any', id, value: value ?? '', placeholder:
            'missing', oninput: () => change(box.value === '' ? null : Number(box.value))});
        return h('div', {class: 'field'}, h('label', {for: id}, name), box);
    }
    return textBox(name, value, (v) => change(v === '' ? null : v));
}

// --- questions -----------------------------------------------------------------------------------

// A question in the notation of probabilities, for models without a target.
function question(model, given) {
    const id = newId(), out = h('div', {'aria-live': 'polite'});
    const first = model.columns.find((c) => c.role === 'feature');
    const box = h('input', {type: 'text', id, value: given ?? `P(${first.name})`,
        spellcheck: 'false', autocomplete: 'off'});
    const run = latest(() => ask(modelPath(model.name, '/query'), {body: {query: box.value}}),
        (answer, error) => out.replaceChildren(...(error ? [problem(error)] : said(answer))), 250);
    box.addEventListener('input', run);
    run();
    return [h('div', {class: 'field'}, h('label', {for: id}, 'Question'), box),
        h('p', {class: 'soft'}, 'P(A | B), with columns, values, and, or, not.'), out];
}

// An answer to a question of probabilities.
export function said(answer) {
    if (answer.distribution)
        return [chart('share-bars', Object.entries(answer.distribution))];
    if (answer.probability != null && !answer.states)
        return [h('p', {class: 'answer'}, h('strong', {}, number(answer.probability, 6)),
            ` = ${percent(answer.probability)}`)];
    return [h('pre', {class: 'board', tabindex: 0}, JSON.stringify(answer, null, 2))];
}

// --- costs and priors ----------------------------------------------------------------------------

const quoted = (name) => `"${name}"`;

// The costs of mistakes and the priors of the classes: parameters of a request, from sliders. Given
// priors are normalised to their sum.
function rule(model, change) {
    const names = model.classes.map((c) => c.name);
    const costs = names.map(() => 1), priors = model.classes.map((c) => c.prior);
    const state = {reject: null, moved: false};
    const cost = (i) => slider(names.length === 2
        ? `Cost of deciding ${names[1 - i]} where it is ${names[i]}` : `Cost of missing ${names[i]}`,
    {low: 0, high: 20, step: .5, value: 1, change: (v) => {
        costs[i] = v ?? 1;
        change();
    }});
    const prior = (i) => slider(names.length === 2 ? `P(${names[i]})` : `Share of ${names[i]}`,
        {low: .01, high: .99, step: .01, value: Number(priors[i].toFixed(3)), change: (v) => {
            if (!(v > 0)) return;
            priors[i] = v;
            if (names.length === 2) priors[1 - i] = 1 - Math.min(v, 1);
            state.moved = true;
            change();
        }});
    const element = h('details', {}, h('summary', {}, 'Costs and priors'),
        names.map((_, i) => cost(i)), slider('Cost of no decision', {low: 0, high: 20, step: .1,
            none: 'decide all', change: (v) => {
                state.reject = v;
                change();
            }}), names.length === 2 ? prior(1) : names.map((_, i) => prior(i)));
    element.addEventListener('toggle', change);
    return {element, parameters() {
        if (!element.open) return {};
        const sum = priors.reduce((a, b) => a + b, 0);
        return {cost: names.map((n, i) => `${quoted(n)}->*=${costs[i]}`).join(', '),
            ...(state.reject != null ? {reject: state.reject} : {}),
            ...(state.moved ? {priors: names.map((n, i) => `${n}:${priors[i] / sum}`).join(',')} : {})};
    }};
}

// --- the form ------------------------------------------------------------------------------------

function changeText(c) {
    return c.without ? `${c.name} without ${c.without.join(', ')}` : `${c.name} = ${number(c.to, 6)}`;
}

// What would have to change for another decision, one value at a time.
function showChanges(out, list) {
    const count = list.length;
    out.replaceChildren(h('h3', {}, 'What would have to change for another decision'),
        count === 0 ? h('p', {}, 'No change of one value alone leads to another decision.')
            : table(['one of these', 'then', 'probability'], list.slice(0, 8).map((c) =>
                [typeof c.to === 'string' ? `${c.name} = ${c.to}` : changeText(c), c.prediction,
                    percent(c.probability)]), 'Changes'));
}

class AskRoom extends HTMLElement {
    async enter(name, given) {
        this.address = location.hash;
        const models = (await ask('/models')).models.filter((m) => !m.error);
        if (models.length === 0) return this.append(h('p', {}, 'No model is served.'));
        const chosen = name || (models.find((m) => m.target) ?? models[0]).name;
        this.model = await ask(modelPath(chosen, '?brief'));
        this.append(pages('Models', 'ask', models.map((m) => [m.name]), chosen));
        if (this.model.target) this.form(given);
        else this.append(...question(this.model, given.get('q')));
    }

    path(rest, parameters = {}) {
        const query = new URLSearchParams({...parameters, ...this.rule?.parameters()});
        return modelPath(this.model.name, `${rest}?allow-absent&${query}`);
    }

    form(given) {
        const columns = this.model.columns.filter((c) => c.role === 'feature');
        const classes = this.model.classes.filter((c) => c.name !== '').length;
        this.values = {};
        for (const column of columns) {
            const value = given.get(column.name);
            if (value) this.values[column.name] = column.kind === 'real' ? Number(value) : value;
        }
        this.work = h('input', {type: 'checkbox', id: newId(), checked: columns.length <= WORKED,
            onchange: () => this.run()});
        this.view = explanation(this.model.target, h('div', {}, classes > 1 && this.alternatives(),
            h('h3', {}, 'Blackboard'), h('p', {}, this.work, ' ',
                h('label', {for: this.work.id, class: 'inline'}, 'Work it out'))));
        this.run = latest(() => this.answer(), (answer, error) => (error ? this.view.fail(error)
            : this.view.show(answer, this.values)));
        this.rule = classes > 1 && classes <= 8 ? rule(this.model, () => this.changed()) : null;
        this.append(h('div', {class: 'two'},
            h('form', {'aria-label': 'Row', onsubmit: (e) => e.preventDefault()},
                h('p', {class: 'soft'}, 'An empty field is a missing value.'),
                columns.map((c) => field(c, this.values[c.name], (value) => this.set(c, value))),
                this.rule?.element), this.view.element), ...this.files());
        this.changed();
    }

    set(column, value) {
        if (value == null) delete this.values[column.name];
        else this.values[column.name] = value;
        this.changed();
    }

    // The answer at once; the address and the counterfactuals after a pause.
    changed() {
        this.run();
        this.later?.();
        clearTimeout(this.addressing);
        this.addressing = setTimeout(() => this.readdress(), 200);
    }

    // The address names the values; but where a link was followed meanwhile, it is the link's.
    readdress() {
        if (!this.isConnected || location.hash !== this.address) return;
        const query = new URLSearchParams(this.values).toString();
        history.replaceState(null, '', `#ask/${encodeURIComponent(this.model.name)}` +
            (query ? `?${query}` : ''));
        this.address = location.hash;
    }

    alternatives() {
        const out = h('div', {});
        this.later = latest(() => ask(this.path('/explain', {changes: ''}), {body: this.values}),
            (answer) => (answer?.changes ? showChanges(out, answer.changes) : out.replaceChildren()),
            150);
        return out;
    }

    // Models without explanations still predict.
    async answer() {
        if (!this.mute) {
            try {
                return await ask(this.path('/explain', this.work.checked ? {work: ''} : {}),
                    {body: this.values});
            } catch (error) {
                this.mute = error;
            }
        }
        try {
            return await ask(this.path('/predict'), {body: this.values});
        } catch (error) {
            this.mute = null;
            throw error;
        }
    }

    // --- files

    files() {
        const out = h('div', {'aria-live': 'polite'});
        const take = async (file) => {
            out.replaceChildren(h('p', {}, 'Predicting …'));
            try {
                this.predicted(out, file, await askText(this.path('/predict',
                    {proba: '', keep: '', filename: file.name}),
                {body: file, type: typeOf(file), accept: 'text/csv'}));
            } catch (error) {
                out.replaceChildren(problem(error));
            }
        };
        return [h('h3', {}, 'Many rows'),
            ...intake('Drop a file to have each of its rows predicted, or choose one', 'Predict', take), out];
    }

    predicted(out, file, csv) {
        const name = `${file.name.replace(/\.[^.]*$/, '')}-predicted.csv`;
        const [head, ...rows] = readCsv(csv);
        const short = (cell) => (/^-?\d*\.\d+(e-?\d+)?$/.test(cell) ? number(Number(cell))
            : cell.slice(0, 60));
        out.replaceChildren(h('p', {}, `${rows.length} rows of ${file.name}. `,
            h('button', {type: 'button', onclick: () => save(new Blob([csv], {type: 'text/csv'}), name)},
                `Download ${name}`)),
        table(head, rows.slice(0, SHOWN).map((row) => row.map(short)), 'Predictions'),
        ...(rows.length > SHOWN ? [h('p', {class: 'soft'}, `The first ${SHOWN} are shown.`)] : []));
    }
}
customElements.define('ask-room', AskRoom);
