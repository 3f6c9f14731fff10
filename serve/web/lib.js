// lib.js - shared by the pages: elements, requests to the server, pictures.

// An element of HTML: attributes, listeners as functions under "on…", children.
export function h(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

// An element of SVG.
export function s(tag, attributes = {}, ...children) {
    return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
        else if (value === true) element.setAttribute(name, '');
        else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
    return element;
}

let ids = 0;
export const newId = () => `id${++ids}`;

// Format probabilities and other numbers for people.
export function number(x, digits = 4) {
    if (x == null) return '–';
    return Math.abs(x) >= 1e6 || (x !== 0 && Math.abs(x) < 1e-4) ? x.toExponential(digits - 1)
        : String(Number(x.toPrecision(digits)));
}
export const percent = (p) => `${(100 * p).toFixed(2)} %`;
export const signed = (x) => (x > 0 ? '+' : x < 0 ? '−' : '') + Math.abs(x).toFixed(2);

// --- questions -----------------------------------------------------------------------------------

const token = () => sessionStorage.getItem('token');
export const hasToken = () => Boolean(token());

// Ask for the server's token once; the browser's tab keeps it.
let asking = null;
function askToken() {
    asking ??= new Promise((resolve) => {
        const id = newId();
        const input = h('input', {type: 'password', id, autocomplete: 'off', required: true});
        const dialog = h('dialog', {'aria-label': 'Token'}, h('form', {method: 'dialog'},
            h('p', {}, 'This server answers those who have a token.'),
            h('label', {for: id}, 'Token'), input, ' ', h('button', {}, 'Go on')));
        dialog.addEventListener('close', () => {
            sessionStorage.setItem('token', input.value);
            dialog.remove();
            asking = null;
            resolve();
        });
        document.body.append(dialog);
        dialog.showModal();
    });
    return asking;
}

async function send(path, {body, type, key, accept} = {}) {
    const headers = {};
    if (key) headers['Idempotency-Key'] = key;
    if (accept) headers.Accept = accept;
    if (token()) headers.Authorization = `Bearer ${token()}`;
    if (body !== undefined && type !== '') headers['Content-Type'] = type ?? 'application/json';
    const answer = await fetch(path, {method: body === undefined ? 'GET' : 'POST', headers,
        body: body === undefined || type !== undefined ? body : JSON.stringify(body)});
    if (answer.status === 401) {
        await askToken();
        return send(path, {body, type, key, accept});
    }
    if (answer.ok) return answer;
    const said = await answer.json().catch(() => ({error: answer.statusText}));
    throw new Error(said.hint ? `${said.error} (${said.hint})` : said.error);
}

// GET, or POST with a body: an object, or data of the given type ('' for files).
export async function ask(path, options) {
    return (await send(path, options)).json();
}

// The same for bodies that are not JSON.
export async function askText(path, options) {
    return (await send(path, options)).text();
}

export const modelPath = (name, rest = '') => `/models/${encodeURIComponent(name)}${rest}`;

// Work that is repeated while the user types: one request at a time, and one more afterwards if
// something has changed. With a delay it waits for a pause, except the first time.
export function latest(work, show, delay = 0) {
    let timer = 0, busy = false, again = false, first = true;
    const go = async () => {
        again = busy;
        if (busy) return;
        busy = true;
        try {
            do {
                again = false;
                await work().then((answer) => show(answer, null), (error) => show(null, error));
            } while (again);
        } finally {
            busy = false;
        }
    };
    return () => {
        clearTimeout(timer);
        if (delay === 0 || first) go();
        else timer = setTimeout(go, delay);
        first = false;
    };
}

// --- pieces of pages -----------------------------------------------------------------------------

export const problem = (error) => h('p', {class: 'wrong', role: 'alert'}, error.message);

// A picture drawn by the server, with the same code as the command.
export function picture(path, caption, options) {
    const figure = h('figure', {'aria-busy': 'true'});
    send(path, options).then((answer) => answer.blob()).then((blob) => {
        const image = h('img', {alt: caption, src: URL.createObjectURL(blob)});
        image.addEventListener('load', () => URL.revokeObjectURL(image.src));
        figure.append(image, h('figcaption', {}, caption));
    }).catch((error) => figure.append(problem(error)))
        .finally(() => figure.removeAttribute('aria-busy'));
    return figure;
}

// A link to a file; with a token, which links cannot carry, a button that downloads it.
export function fileLink(path, text, name) {
    if (!hasToken()) return h('a', {href: path}, text);
    return h('button', {type: 'button', onclick: async () => save(await (await send(path)).blob(), name)},
        text);
}

// Let the browser store bytes as a file.
export function save(blob, name) {
    const url = URL.createObjectURL(blob);
    h('a', {href: url, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Links to the items of a page, with the present one marked.
export function pages(label, room, names, current) {
    return h('nav', {class: 'pages', 'aria-label': label}, h('ul', {}, names.map(([name, text]) =>
        h('li', {}, h('a', {href: `#${room}/${encodeURIComponent(name)}`,
            'aria-current': name === current ? 'page' : null}, text ?? name)))));
}

// A number with a slider. Clearing the number calls back with null.
export function slider(text, {low, high, step, value = null, none = 'missing', change}) {
    const id = newId();
    const range = h('input', {type: 'range', min: low, max: high, step,
        value: value ?? (low + high) / 2, 'aria-label': `${text}, slider`});
    const box = h('input', {type: 'number', id, step: 'any', value: value ?? '', placeholder: none});
    const told = () => range.setAttribute('aria-valuetext', box.value === '' ? none : box.value);
    range.addEventListener('input', () => {
        box.value = range.value;
        told();
        change(Number(range.value));
    });
    box.addEventListener('input', () => {
        if (box.value !== '') range.value = box.value;
        told();
        change(box.value === '' ? null : Number(box.value));
    });
    told();
    return h('div', {class: 'field'}, h('label', {for: id}, text),
        h('div', {class: 'row'}, box, range));
}

export function picks(text, values, value, change, none) {
    const id = newId();
    const select = h('select', {id, class: 'wide', onchange: () => change(select.value)},
        none != null && h('option', {value: ''}, none),
        values.map((v) => h('option', {value: v, selected: v === value}, v)));
    return h('div', {class: 'field'}, h('label', {for: id}, text), select);
}

export function table(head, rows, label = 'Table') {
    const cell = (tag, c) => h(tag, {class: typeof c === 'number' ? 'n' : null},
        typeof c === 'number' ? number(c) : c ?? '–');
    return h('div', {class: 'tablebox', tabindex: 0, role: 'group', 'aria-label': label},
        h('table', {}, h('thead', {}, h('tr', {}, head.map((t) => (t === '' ? h('td', {}) : h('th', {scope: 'col'}, t))))),
            h('tbody', {}, rows.map((row) => h('tr', {}, row.map((c) => cell('td', c)))))));
}
