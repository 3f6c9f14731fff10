// rooms/models.js - Models: a card for each; one model laid open with its pictures.
import {ask, fileLink, h, modelPath, number, picture, table} from '../lib.js';
import {chart} from '../charts.js';

const features = (model) => model.columns.filter((c) => c.role === 'feature');
const plural = (n, what) => `${number(n, 12)} ${what}${n === 1 ? '' : 's'}`;

function origin(model) {
    const about = model.target ? `says ${model.target}` : 'has no target: every column can be asked';
    return h('p', {}, `${model.learner}; `, model.rows > 0
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

// Features by the bits that they tell about the class, where the model knows them.
function telling(model, most) {
    const known = (model.show?.features ?? []).filter((f) => f.bits > 1e-9)
        .sort((a, b) => b.bits - a.bits).slice(0, most);
    if (known.length === 0) return null;
    return h('div', {}, h('h4', {}, 'Most telling features'), chart('share-bars',
        known.map((f) => [f.name, f.bits, `${number(f.bits, 3)} bits`]), {scaled: true, plain: true}));
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

function card(model) {
    if (model.error)
        return h('article', {class: 'card'}, h('h3', {}, model.name),
            h('p', {class: 'wrong'}, model.error));
    return h('article', {class: 'card'}, h('h3', {}, model.name), origin(model), classes(model),
        telling(model, 4), links(model));
}

// The kinds of picture that fit the model's columns.
function pictures(model) {
    const has = (kind) => features(model).filter((c) => c.kind === kind).length;
    const many = model.classes.filter((c) => c.name !== '').length > 1;
    const plot = (kind, caption) => picture(modelPath(model.name, `/plot/${kind}.svg`), caption);
    return [
        isNetwork(model) && plot('network', 'The network; thick arcs tell more'),
        many && model.learner === 'nb' && has('real') > 0 &&
            plot('densities', 'Densities of the most telling numbers in each class'),
        many && has('real') > 1 && has('real') === features(model).length &&
            plot('surface', 'Decisions over the two most telling numbers'),
        many && model.learner === 'nb' && has('bag') > 0 && plot('words', 'Words that tell most'),
    ].filter(Boolean);
}

// All that the model tells; of texts not the words, which may be a great many.
async function lookAt(name) {
    const model = await ask(modelPath(name, '?brief'));
    return model.columns.some((c) => c.kind === 'bag') ? model : ask(modelPath(name));
}

class ModelsRoom extends HTMLElement {
    async enter(name) {
        if (name) return this.open(name);
        const {models} = await ask('/models');
        if (models.length === 0)
            return this.append(h('p', {}, 'No model is served. Start the server with a folder of models.'));
        const cards = h('div', {class: 'cards'});
        this.append(cards);
        const all = await Promise.all(models.map((m) =>
            m.error ? m : lookAt(m.name).catch((e) => ({...m, error: e.message}))));
        cards.append(...all.map(card));
    }

    async open(name) {
        const model = await lookAt(name);
        this.append(h('p', {}, h('a', {href: '#models'}, 'All models')), h('h3', {}, model.name),
            origin(model), links(model, true),
            h('div', {class: 'even'}, classes(model) ?? '', telling(model, 12) ?? ''),
            h('h4', {}, 'Columns'),
            table(['column', 'kind', 'role', 'mean', 'standard deviation', 'values'],
                model.columns.map((c) => [c.name, c.kind, c.role, c.mean, c.sd,
                    c.values ? c.values.slice(0, 12).join(', ') + (c.values.length > 12 ? ', …' : '')
                        : ''])),
            h('h4', {}, 'Pictures'), h('div', {class: 'even'}, pictures(model)));
    }
}
customElements.define('models-room', ModelsRoom);
