// lectures/boards.js - naive Bayes step by step.
import {ask, h} from '../lib.js';
import {explanation} from '../board.js';
import {sports, tax, tennis} from '../tables.js';
import {lineBox, tableBox, touchable} from './page.js';

function board(intro, text, target, fields) {
    const state = {table: text, row: {...fields}};
    const view = explanation(target);
    const controls = (run) => [h('p', {}, intro),
        Object.entries(fields).map(([name, value]) => lineBox(name, String(value), (v) => {
            state.row[name] = v === '' ? null : v;
            run();
        })), tableBox(state.table, (v) => {
            state.table = v;
            run();
        })];
    return touchable(controls, () => ask('/compute/model', {body: {table: state.table,
        target, learner: 'nb', work: true, rows: [state.row]}}),
    ({explanations: [e]}) => {
        view.show(e, state.row);
        return [view.element];
    }, 50);
}

export const play = () => board('Shall we play tennis today? Fourteen days are counted, and the ' +
    'fractions multiplied. Change the day or the table; an empty field is missing.', tennis, 'play',
{outlook: 'sunny', temperature: 'cool', humidity: 'high', wind: 'strong'});
export const taxes = () => board('Who evades tax? Naive Bayes counts, and multiplies fractions; the ' +
    'income has a Gaussian for each class. Change the row or the table.', tax, 'evade',
{refund: 'no', marital: 'married', income: '120'});
export const game = () => board('Is the sentence about sports? Type another one.', sports, 'tag',
    {text: 'A very close game'});
