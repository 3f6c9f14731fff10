// lectures/alarm.js - a burglar alarm: a network to query and to change.
import {ask, h, number, percent, problem} from '../lib.js';
import {chart} from '../charts.js';
import {alarm} from '../tables.js';
import {tableBox, touchable} from './page.js';

const facts = (seen) => Object.entries(seen).map(([n, v]) => `${n}=${v}`).join(', ');
const given = (seen) => (Object.keys(seen).length ? ` | ${facts(seen)}` : '');

// A node: its states with their probabilities; a pressed state is observed.
function node({variable, distribution}, state, run) {
    const press = (value) => {
        if (state.seen[variable] === value) delete state.seen[variable];
        else state.seen[variable] = value;
        run();
    };
    return h('section', {class: 'card', 'aria-label': variable}, h('h4', {}, variable),
        h('div', {class: 'beliefs'}, Object.entries(distribution).map(([value, p]) => [
            h('button', {type: 'button', 'data-state': `${variable}=${value}`,
                'aria-pressed': String(state.seen[variable] === value), onclick: () => press(value)},
            value), h('span', {class: 'n'}, percent(p))])));
}

export function burglary() {
    const state = {network: alarm, seen: {J: 'j', M: 'm'}};
    let again = () => {};
    return touchable((run) => {
        again = run;
        return [h('p', {}, 'Burglars (B) and earthquakes (E) set off the alarm (A); John (J) and ' +
            'Mary (M) call when they hear it. Press a state to observe it, once more to take it back.'),
        tableBox(state.network, (v) => {
            state.network = v;
            run();
        }, 18, 'Network')];
    }, () => ask('/compute/model', {body: {network: state.network, queries: [
        `P(*${given(state.seen)})`, `argmax(*${given(state.seen)})`, `inform(B${given(state.seen)})`,
        'dsep(B, E)', 'dsep(B, E | A)']}}), ({answers: [beliefs, best, next, apart, joined]}) => {
        const focus = document.activeElement?.dataset?.state;
        queueMicrotask(() => focus && document.querySelector(`[data-state="${CSS.escape(focus)}"]`)?.focus());
        if (beliefs.error) return [problem({message: beliefs.error})];
        return [h('div', {class: 'cards small'}, beliefs.beliefs.map((b) => node(b, state, () => again()))),
            best.states && h('p', {}, 'Most probable together: ', Object.entries(best.states)
                .map(([n, v]) => `${n} = ${v}`).join(', '), ` (${percent(best.probability)}).`),
            next.observations?.length > 0 && [h('h4', {}, 'What to observe next to learn about B'),
                chart('share-bars', next.observations.map((o) => [o.variable, o.bits,
                    `${number(o.bits, 3)} bits`]), {scaled: true, plain: true})],
            apart.separated != null && joined.separated != null &&
                h('p', {}, `B and E are ${apart.separated ? '' : 'not '}independent; given A they are ` +
                    `${joined.separated ? 'still' : 'not'}` + (joined.path?.length
                    ? ` (${joined.path.join(' – ')}): the one explains the alarm away.` : '.'))];
    });
}
