// rooms/networks.js - Networks: the graph, beliefs of every node; a state that is clicked is observed.
import {ask, h, latest, modelPath, number, pages, percent, picture, problem, s} from '../lib.js';

function bar(p) {
    return s('svg', {viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true'},
        s('rect', {class: 'c0', width: 100 * p, height: 10}));
}

class NetworksRoom extends HTMLElement {
    async enter(name, given) {
        const models = (await ask('/models')).models.filter((m) =>
            !m.error && (m.learner.startsWith('network') || m.learner === 'tan'));
        if (models.length === 0)
            return this.append(h('p', {}, 'None of the models that are served is a network.'));
        this.name = name || models[0].name;
        this.network = await ask(modelPath(this.name, '/network'));
        this.evidence = Object.fromEntries(given);
        this.nodes = h('div', {class: 'cards'});
        this.likely = h('div', {'aria-live': 'polite'});
        this.update = latest((signal) => this.compute(signal), (answer, error) => this.show(answer, error));
        this.append(pages('Networks', 'networks', models.map((m) => [m.name]), this.name),
            picture(modelPath(this.name, '/plot/network.svg'), 'The network; thick arcs tell more'),
            h('p', {}, 'Press a state to observe it, once more to take it back. ',
                h('button', {type: 'button', class: 'tool', onclick: () => this.observe({})},
                    'Forget all')),
            this.likely, this.nodes);
        this.update();
    }

    observe(evidence) {
        this.evidence = evidence;
        const query = new URLSearchParams(evidence).toString();
        history.replaceState(null, '', `#networks/${encodeURIComponent(this.name)}` +
            (query ? `?${query}` : ''));
        this.update();
    }

    async compute(signal) {
        const body = {evidence: this.evidence};
        return Promise.all([ask(modelPath(this.name, '/network/beliefs'), {body, signal}),
            ask(modelPath(this.name, '/network/explanation'), {body, signal})]);
    }

    toggle(node, state) {
        const {[node]: old, ...rest} = this.evidence;
        this.observe(old === state ? rest : {...rest, [node]: state});
    }

    show(answer, error) {
        if (error) return this.likely.replaceChildren(problem(error));
        const [{evidence, beliefs}, best] = answer;
        const focus = document.activeElement?.dataset?.state;
        this.likely.replaceChildren(h('p', {}, `P(evidence) = ${number(evidence)}. `,
            'Most probable states of all: ', Object.entries(best.states)
                .map(([n, v]) => `${n} = ${v}`).join(', '), ` (${percent(best.probability)}).`));
        this.nodes.replaceChildren(...this.network.nodes.map((n) => this.node(n, beliefs[n.name])));
        if (focus) [...this.nodes.querySelectorAll('button')]
            .find((b) => b.dataset.state === focus)?.focus();
    }

    node(node, beliefs) {
        return h('section', {class: 'card', 'aria-label': node.name}, h('h3', {}, node.name),
            h('p', {class: 'soft'}, node.parents.length
                ? `depends on ${node.parents.join(', ')}` : 'depends on nothing'),
            h('div', {class: 'belief'}, node.states.map((state) => [
                h('button', {type: 'button', 'data-state': `${node.name}=${state}`,
                    'aria-pressed': String(this.evidence[node.name] === state),
                    onclick: () => this.toggle(node.name, state)}, state),
                bar(beliefs[state]), h('span', {class: 'n'}, percent(beliefs[state]))])));
    }
}
customElements.define('networks-room', NetworksRoom);
