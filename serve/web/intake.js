// intake.js - a file that is dropped, chosen or pasted.
import {h, newId} from './lib.js';

// The type according to the file name; '' if unknown: the server then detects the format.
export const typeOf = (file) => (/\.csv$/i.test(file.name) ? 'text/csv'
    : /\.(jsonl|ndjson)$/i.test(file.name) ? 'application/x-ndjson' : '');

function drop(text, take) {
    const id = newId();
    const input = h('input', {type: 'file', id, onchange: () => input.files[0] && take(input.files[0])});
    const over = (on) => (event) => {
        event.preventDefault();
        box.classList.toggle('over', on);
    };
    const box = h('div', {class: 'drop', ondragover: over(true), ondragleave: over(false),
        ondrop: (event) => {
            over(false)(event);
            if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
        }}, h('label', {for: id}, text), input);
    return box;
}

function paste(verb, take) {
    const id = newId();
    const text = h('textarea', {id, rows: 4, spellcheck: 'false'});
    return h('details', {}, h('summary', {}, 'Or paste rows as CSV'),
        h('label', {for: id}, 'Rows, with a header'), text,
        h('button', {type: 'button', onclick: () => take(new File([text.value], 'rows.csv'))}, verb));
}

export const intake = (text, verb, take) => [drop(text, take), paste(verb, take)];

// The fields of CSV by row; the server quotes fields and doubles quotes in them.
export function readCsv(text) {
    const rows = [[]];
    for (const [, field, end] of text.matchAll(/("(?:[^"]|"")*"|[^,\n"]*)(,|\r?\n|$)/g)) {
        if (field === '' && end === '' && rows.at(-1).length === 0) break;
        rows.at(-1).push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
        if (end.endsWith('\n')) rows.push([]);
        if (end === '') break;
    }
    return rows.filter((row) => row.length > 0);
}
