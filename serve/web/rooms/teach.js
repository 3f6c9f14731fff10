// rooms/teach.js - Teach: the model's answer for a row, the true class, and the history with undo.
import {ask, h, latest, modelPath, pages, picks, problem, table} from '../lib.js';
import {explanation} from '../board.js';
import {field} from './ask.js';

class TeachRoom extends HTMLElement {
    async enter(name) {
        const {learn, models: all} = await ask('/models');
        const models = all.filter((m) => !m.error && m.target);
        if (!learn) return this.append(h('p', {}, 'This server takes no lessons: start it with --learn.'));
        if (models.length === 0) return this.append(h('p', {}, 'No model here has a target.'));
        this.model = await ask(modelPath(name || models[0].name, '?brief'));
        this.values = {};
        this.truth = null;
        this.view = explanation(this.model.target);
        this.said = h('div', {'aria-live': 'polite'});
        this.past = h('div', {});
        this.update = latest(() => ask(this.path('/predict?allow-absent'), {body: this.values}),
            (answer, error) => (error ? this.view.fail(error) : this.view.show(answer, this.values)));
        this.append(pages('Models', 'teach', models.map((m) => [m.name]), this.model.name),
            h('div', {class: 'two'}, this.form(), h('div', {}, this.view.element,
                h('h3', {}, 'Lessons'), this.past)));
        this.update();
        await this.history();
    }

    path(rest) {
        return modelPath(this.model.name, rest);
    }

    form() {
        const {columns, classes, target} = this.model;
        const set = (c) => (value) => {
            if (value == null) delete this.values[c.name];
            else this.values[c.name] = value;
            this.update();
        };
        const truth = (value) => { this.truth = value === '' ? null : value; };
        const kind = columns.find((c) => c.name === target);
        const names = classes.map((c) => c.name).filter((n) => n !== '');
        return h('form', {'aria-label': 'Lesson', onsubmit: (event) => {
            event.preventDefault();
            this.teach();
        }}, columns.filter((c) => c.role === 'feature').map((c) => field(c, null, set(c))),
        kind.kind === 'real' ? field(kind, null, truth)
            : picks(`The truth: ${target}`, names, null, truth, 'choose'),
        h('button', {}, 'Teach'), this.said);
    }

    // The key ensures that a lesson sent twice is learned once.
    async teach() {
        if (this.truth == null)
            return this.said.replaceChildren(h('p', {}, `Choose the truth: ${this.model.target}.`));
        await this.lesson('/learn', {...this.values, [this.model.target]: this.truth});
    }

    async lesson(rest, body) {
        try {
            const receipt = await ask(this.path(rest), {body, key: crypto.randomUUID?.()});
            this.said.replaceChildren(h('p', {}, `Lesson ${receipt.lesson} is learned.`));
        } catch (error) {
            this.said.replaceChildren(problem(error));
        }
        this.update();
        await this.history();
    }

    async history() {
        const {lessons = 0, history = []} = await ask(this.path('/history?top=50'));
        const undone = new Set(history.map((l) => l.undoes).filter((n) => n != null));
        const undo = (l) => (l.what === 'undo' || undone.has(l.lesson) ? ''
            : h('button', {type: 'button', 'aria-label': `Undo lesson ${l.lesson}`,
                onclick: () => this.lesson(`/undo/${l.lesson}`, {})}, 'Undo'));
        this.past.replaceChildren(lessons === 0 ? h('p', {}, 'There is none yet.')
            : table(['lesson', 'when', 'who', 'what', 'rows', ''], history.map((l) => [l.lesson,
                new Date(l.time).toLocaleString(), l.who,
                l.undoes ? `undoes ${l.undoes}` : l.what, l.rows, undo(l)])));
    }
}
customElements.define('teach-room', TeachRoom);
