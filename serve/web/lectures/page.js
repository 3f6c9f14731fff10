// lectures/page.js - shared by the pages of the lectures.
import {h, latest, newId, problem} from '../lib.js';

// A page: controls and results. work() asks the server, show(answer) returns the elements.
export function touchable(controls, work, show, delay) {
    const out = h('section', {'aria-label': 'Result'});
    const status = h('p', {class: 'unseen', role: 'status'});
    const run = latest(work, (answer, error) => {
        out.replaceChildren(...(error ? [problem(error)] : show(answer).flat(Infinity).filter(Boolean)));
        status.textContent = out.querySelector('.answer')?.textContent ?? 'The result has changed.';
    }, delay);
    const page = h('div', {class: 'two'}, h('form', {'aria-label': 'What can be changed',
        onsubmit: (e) => e.preventDefault()}, controls(run)), out, status);
    run();
    return page;
}

export function tableBox(text, change, rows = 10, label = 'Table') {
    const id = newId();
    const box = h('textarea', {id, rows, class: 'code', spellcheck: 'false',
        oninput: () => change(box.value)}, text);
    return h('div', {class: 'field'}, h('label', {for: id}, label), box);
}

export function lineBox(label, text, change) {
    const id = newId();
    const box = h('input', {type: 'text', id, value: text, spellcheck: 'false', autocomplete: 'off',
        oninput: () => change(box.value)});
    return h('div', {class: 'field'}, h('label', {for: id}, label), box);
}

export function button(text, action) {
    return h('button', {type: 'button', onclick: action}, text);
}

// Functions that set a member of the state and run.
export const setter = (state, run) => (key, empty) => (value) => {
    if (value == null && empty === undefined) return;
    state[key] = value ?? empty;
    run();
};
