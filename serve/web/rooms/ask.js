// rooms/ask.js - Ask: a form made from the columns, the answer beside it while one types.
import {ask, h, latest, modelPath, newId, number, pages, percent, picks, problem, slider}
    from '../lib.js';
import {chart} from '../charts.js';
import {explained} from '../board.js';

// Steps of a slider: a round number, some two hundred of them.
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

// A question in the notation of probabilities, for models without a target.
function question(model, given) {
    const id = newId(), out = h('div', {'aria-live': 'polite'});
    const first = model.columns.find((c) => c.role === 'feature');
    const box = h('input', {type: 'text', id, value: given ?? `P(${first.name})`,
        spellcheck: 'false', autocomplete: 'off'});
    const run = latest((signal) => ask(modelPath(model.name, '/query'), {body: {query: box.value},
        signal}), (answer, error) => out.replaceChildren(...(error ? [problem(error)]
        : said(answer))), 250);
    box.addEventListener('input', run);
    run();
    return [h('div', {class: 'field'}, h('label', {for: id}, 'Question'), box),
        h('p', {class: 'soft'}, 'P(A | B), with columns, values, and, or, not.'), out];
}

// An answer to a question of probabilities.
export function said(answer) {
    if (answer.distribution)
        return [chart('share-bars', Object.entries(answer.distribution))];
    if (answer.probability != null)
        return [h('p', {class: 'answer'}, h('strong', {}, number(answer.probability, 6)),
            ` = ${percent(answer.probability)}`)];
    return [h('pre', {class: 'board'}, JSON.stringify(answer, null, 2))];
}

class AskRoom extends HTMLElement {
    async enter(name, given) {
        const models = (await ask('/models')).models.filter((m) => !m.error);
        if (models.length === 0) return this.append(h('p', {}, 'No model is served.'));
        const chosen = name || (models.find((m) => m.target) ?? models[0]).name;
        const model = await ask(modelPath(chosen, '?brief'));

        this.append(pages('Models', 'ask', models.map((m) => [m.name]), chosen));
        if (model.target) this.form(model, given);
        else this.append(...question(model, given.get('q')));
    }

    form(model, given) {
        const values = {}, out = h('section', {'aria-label': 'Answer', 'aria-live': 'polite'});
        const columns = model.columns.filter((c) => c.role === 'feature');
        const run = latest((signal) => this.answer(model, values, signal), (answer, error) =>
            out.replaceChildren(...(error ? [problem(error)]
                : explained(answer, model.target, values))));
        const change = (column) => (value) => {
            if (value == null) delete values[column.name];
            else values[column.name] = value;
            const query = new URLSearchParams(values).toString();
            history.replaceState(null, '', `#ask/${encodeURIComponent(model.name)}` +
                (query ? `?${query}` : ''));
            run();
        };
        for (const column of columns) {
            const value = given.get(column.name);
            if (value) values[column.name] = column.kind === 'real' ? Number(value) : value;
        }
        this.append(h('div', {class: 'two'},
            h('form', {'aria-label': 'Row', onsubmit: (e) => e.preventDefault()},
                h('p', {class: 'soft'}, 'An empty field is a missing value.'),
                columns.map((c) => field(c, values[c.name], change(c)))), out));
        run();
    }

    // Models that cannot explain themselves still predict.
    async answer(model, values, signal) {
        if (!this.mute) {
            try {
                return await ask(modelPath(model.name, '/explain?work&allow-absent'),
                    {body: values, signal});
            } catch (error) {
                if (error.name === 'AbortError') throw error;
            }
        }
        const answer = await ask(modelPath(model.name, '/predict?allow-absent'), {body: values, signal});
        this.mute = true;
        return answer;
    }
}
customElements.define('ask-room', AskRoom);
