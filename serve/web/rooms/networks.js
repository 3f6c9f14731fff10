// rooms/networks.js - Networks: the graph, beliefs of every node; a clicked state is observed.
import {ask, askText, h, latest, modelPath, number, pages, percent, picks, problem, s}
    from '../lib.js';
import {chart} from '../charts.js';

const QUESTIONS = 200; // about separation, in one request

function bar(p) {
    return s('svg', {viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true'},
        s('rect', {class: 'c0', width: 100 * p, height: 10}));
}

// Names and states in the notation of queries.
const word = (text) => (/^[A-Za-z_]\w*$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`);
const facts = (evidence) => Object.entries(evidence).map(([n, v]) => `${word(n)}=${word(v)}`).join(', ');
const given = (list) => (list ? ` | ${list}` : '');

// The picture of the network as part of the page: each box is found by its name.
async function graph(path) {
    const svg = new DOMParser().parseFromString(await askText(path), 'image/svg+xml').documentElement;
    const boxes = new Map();
    for (const text of svg.querySelectorAll('text'))
        if (text.previousElementSibling?.tagName === 'rect')
            boxes.set(text.textContent, text.previousElementSibling);
    svg.setAttribute('aria-label', 'The network: thick arcs tell more');
    svg.removeAttribute('height');
    return {figure: h('figure', {class: 'graph'}, svg, h('figcaption', {}, 'Thick arcs tell more.')), boxes};
}

class NetworksRoom extends HTMLElement {
    async enter(name, given) {
        const models = (await ask('/models')).models.filter((m) =>
            !m.error && (m.learner.startsWith('network') || m.learner === 'tan'));
        if (models.length === 0)
            return this.append(h('p', {}, 'None of the models that are served is a network.'));
        this.name = name || models[0].name;
        const [network, {figure, boxes}] = await Promise.all([ask(modelPath(this.name, '/network')),
            graph(modelPath(this.name, '/plot/network.svg'))]);
        this.network = network;
        this.boxes = boxes;
        this.evidence = Object.fromEntries(given);
        this.nodes = h('div', {class: 'cards'});
        this.likely = h('div', {'aria-live': 'polite'});
        this.apart = h('p', {'aria-live': 'polite'});
        this.next = h('div', {});
        this.update = latest(() => this.compute(), (answer, error) => this.show(answer, error));
        this.append(pages('Networks', 'networks', models.map((m) => [m.name]), this.name),
            h('div', {class: 'two'}, figure, this.controls()),
            h('p', {}, 'Press a state to observe it, once more to take it back. ',
                h('button', {type: 'button', class: 'tool', onclick: () => this.observe({})},
                    'Forget all')), this.likely, this.nodes);
        this.update();
    }

    controls() {
        const names = this.network.nodes.map((n) => n.name);
        const choose = (key) => (value) => {
            this[key] = value;
            this.update();
        };
        return h('div', {}, picks('What to observe next, to learn about', names, null,
            choose('wanted'), 'choose'), this.next,
        picks('Separated, as things are, from', names, null, choose('from'), 'choose'), this.apart);
    }

    observe(evidence) {
        this.evidence = evidence;
        const query = new URLSearchParams(evidence).toString();
        history.replaceState(null, '', `#networks/${encodeURIComponent(this.name)}` +
            (query ? `?${query}` : ''));
        this.update();
    }

    // Beliefs and the best states; then the other queries.
    async compute() {
        const body = {evidence: this.evidence}, seen = facts(this.evidence);
        const others = this.network.nodes.map((n) => n.name).filter((n) => n !== this.from &&
            !(n in this.evidence)).slice(0, QUESTIONS);
        const queries = [
            ...(this.wanted ? [`inform(${word(this.wanted)}${given(seen)})`] : []),
            ...(this.from && !(this.from in this.evidence) ? others.map((n) => `dsep(${word(this.from)}, ` +
                `${word(n)}${given(Object.keys(this.evidence).map(word).join(', '))})`) : [])];
        const path = (rest) => modelPath(this.name, rest);
        const [beliefs, best, more] = await Promise.all([ask(path('/network/beliefs'), {body}),
            ask(path('/network/explanation'), {body}),
            queries.length ? ask(path('/query'), {body: {queries}}) : {answers: []}]);
        const answers = [...more.answers];
        return {beliefs, best, next: this.wanted ? answers.shift() : null,
            apart: this.from ? others.filter((_, i) => answers[i]?.separated) : null, others};
    }

    toggle(node, state) {
        const {[node]: old, ...rest} = this.evidence;
        this.observe(old === state ? rest : {...rest, [node]: state});
    }

    show(answer, error) {
        if (error) return this.likely.replaceChildren(problem(error));
        const {beliefs: {evidence, beliefs}, best, next, apart, others} = answer;
        const focus = document.activeElement?.dataset?.state;
        this.likely.replaceChildren(h('p', {}, `P(evidence) = ${number(evidence)}. `,
            'Most probable states of all: ', Object.entries(best.states)
                .map(([n, v]) => `${n} = ${v}`).join(', '), ` (${percent(best.probability)}).`));
        this.showNext(next);
        this.showApart(apart, others);
        this.nodes.replaceChildren(...this.network.nodes.map((n) =>
            this.node(n, beliefs[n.name], best.states[n.name], apart)));
        if (focus) [...this.nodes.querySelectorAll('button')]
            .find((b) => b.dataset.state === focus)?.focus();
    }

    showNext(next) {
        if (!next) return this.next.replaceChildren();
        if (next.error) return this.next.replaceChildren(problem({message: next.error}));
        const top = next.observations.slice(0, 8);
        this.next.replaceChildren(h('p', {}, `${next.variable} is uncertain by ${number(next.entropy, 3)} ` +
            'bits; to observe these would tell:'), top.length ? chart('share-bars', top.map((o) =>
            [o.variable, o.bits, `${number(o.bits, 3)} bits`]), {scaled: true, plain: true}) : '');
    }

    // In the picture: the selected node, the observed ones, and those separated from it.
    showApart(apart, others) {
        for (const [name, box] of this.boxes)
            box.setAttribute('class', name === this.from ? 'from' : name in this.evidence ? 'seen'
                : apart?.includes(name) ? 'apart' : apart && others.includes(name) ? 'joined' : '');
        this.apart.replaceChildren(!apart ? '' : this.from in this.evidence
            ? `${this.from} is observed: nothing more can be learned about it.`
            : apart.length === 0 ? `Every other node may tell about ${this.from}.`
                : `Separated from ${this.from}: ${apart.join(', ')}. They tell nothing about it.`);
    }

    node(node, beliefs, best, apart) {
        return h('section', {class: apart?.includes(node.name) ? 'card faint' : 'card',
            'aria-label': node.name}, h('h3', {}, node.name),
        h('p', {class: 'soft'}, node.parents.length
            ? `depends on ${node.parents.join(', ')}` : 'depends on nothing',
        apart?.includes(node.name) && `; separated from ${this.from}`),
        h('div', {class: 'belief'}, node.states.map((state) => [
            h('button', {type: 'button', 'data-state': `${node.name}=${state}`,
                'aria-pressed': String(this.evidence[node.name] === state),
                title: state === best ? 'in the most probable states of all' : null,
                onclick: () => this.toggle(node.name, state)}, state, state === best && ' ★'),
            bar(beliefs[state]), h('span', {class: 'n'}, percent(beliefs[state]))])));
    }
}
customElements.define('networks-room', NetworksRoom);
