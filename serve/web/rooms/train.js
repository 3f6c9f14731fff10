// rooms/train.js - Train: a file, its columns and their kinds, a target and a learner, a model.
import {ask, h, newId, number, percent, picks, problem, table} from '../lib.js';
import {intake, typeOf} from '../intake.js';

const EVERY = 500; // milliseconds between two progress requests

class TrainRoom extends HTMLElement {
    async enter() {
        this.learners = (await ask('/learners')).learners;
        this.out = h('div', {'aria-live': 'polite'});
        this.append(h('p', {}, 'The model is kept by the server as long as it runs; its file can be ' +
            'taken home.'), ...intake('Drop a table or an archive of folders, or choose one',
            'Look at it', (file) => this.take(file)), this.out);
    }

    send(path, parameters) {
        return ask(`${path}?${new URLSearchParams({filename: this.file.name, ...parameters})}`,
            {body: this.file, type: typeOf(this.file)});
    }

    async take(file, target) {
        this.file = file;
        this.out.replaceChildren(h('p', {}, 'Reading …'));
        try {
            this.show(await this.send('/columns', target ? {target} : {}));
        } catch (error) {
            this.out.replaceChildren(problem(error));
        }
    }

    show({rows, columns, notes}) {
        const target = columns.find((c) => c.role === 'target')?.name;
        const id = newId();
        const name = h('input', {type: 'text', id, required: true,
            value: this.file.name.replace(/\..*$/, '').replace(/[^\w-]/g, '-')});
        const summary = h('p', {class: 'soft'});
        const choice = {learner: 'auto'};
        const tell = () => summary.replaceChildren(this.learners.find((l) =>
            l.name === choice.learner)?.summary ?? 'the learner that cross-validation chooses');
        this.result = h('div', {'aria-live': 'polite'});
        tell();
        this.out.replaceChildren(h('h3', {}, `${this.file.name}: ${number(rows, 12)} rows`),
            ...(notes ?? []).map((n) => h('p', {class: 'soft'}, typeof n === 'string' ? n
                : n.text ?? n.message ?? '')),
            table(['column', 'kind', 'role', 'why'], columns.map((c) =>
                [c.name, c.kind, c.role, c.why ?? ''])),
            h('form', {'aria-label': 'Training', onsubmit: (event) => {
                event.preventDefault();
                this.train(name.value, target, choice.learner);
            }}, picks('Target', columns.map((c) => c.name), target, (t) => this.take(this.file, t)),
            picks('Learner', ['auto', ...this.learners.map((l) => l.name)], 'auto', (l) => {
                choice.learner = l;
                tell();
            }), summary,
            h('div', {class: 'field'}, h('label', {for: id}, 'Name of the model'), name),
            h('button', {}, 'Train')), this.result);
    }

    async train(name, target, learner) {
        const job = `job${Date.now()}`;
        const bar = h('progress', {'aria-label': 'Progress'});
        const timer = setInterval(() => ask(`/train/${job}`).then(({done, total}) => {
            if (total > 0) {
                bar.max = total;
                bar.value = done;
            }
        }, () => {}), EVERY);
        this.result.replaceChildren(bar, ' ', h('button', {type: 'button', onclick: () =>
            ask(`/train/${job}/stop`, {body: {}}).catch(() => {})}, 'Stop'));
        try {
            this.done(await this.send('/train', {name, learner, job, ...(target ? {target} : {})}));
        } catch (error) {
            this.result.replaceChildren(problem(error));
        } finally {
            clearInterval(timer);
        }
    }

    done({name, learner, rows, seconds, calibration, tried}) {
        const at = encodeURIComponent(name);
        this.result.replaceChildren(h('p', {class: 'answer'}, h('strong', {}, name),
            ` has learned ${number(rows, 12)} rows with ${learner} in ${number(seconds, 2)} s.`,
            calibration?.method && calibration.method !== 'none' ? ` Its probabilities are calibrated (${calibration.method}).`
                : calibration?.why ? ` Its probabilities are not calibrated, as ${calibration.why}.` : ''),
        h('p', {class: 'links'}, h('a', {href: `#models/${at}`}, 'Look inside'),
            h('a', {href: `#ask/${at}`}, 'Ask'), h('a', {href: `#judge/${at}`}, 'Judge')),
        ...(tried?.length ? [h('h3', {}, 'What was tried'), table(['learner', 'log loss', 'accuracy', ''],
            tried.map((t) => [t.name, t.log_loss, t.accuracy == null ? '–' : percent(t.accuracy),
                t.chosen ? 'chosen' : t.reason]))] : []));
    }
}
customElements.define('train-room', TrainRoom);
