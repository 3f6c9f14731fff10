// rooms/judge.js - Judge: a labelled file, how good the model is on it, and where it is wrong.
import {ask, h, modelPath, number, pages, percent, picture, problem, table} from '../lib.js';
import {intake, typeOf} from '../intake.js';

const METRICS = [['rows', 'rows'], ['accuracy', 'accuracy'], ['balanced_accuracy', 'balanced accuracy'],
    ['log_loss', 'log loss'], ['brier', 'Brier score'], ['ece', 'expected calibration error'],
    ['macro_f1', 'macro F1'], ['mcc', 'Matthews correlation'], ['roc_area', 'area under ROC'],
    ['undecided', 'undecided'], ['mae', 'mean absolute error'], ['rmse', 'root mean squared error'],
    ['r2', 'R²'], ['bias', 'bias'], ['log_density', 'mean log density'],
    ['coverage', 'share of true values within the intervals'], ['width', 'width of the intervals']];

// The last test of a model in this browser, for its card; only of the same version.
const place = (model) => `judged ${model.name} ${model.version}`;
export function judged(model) {
    try {
        return JSON.parse(localStorage.getItem(place(model)));
    } catch {
        return null; // the browser stores nothing
    }
}

function keep(model, test) {
    try {
        localStorage.setItem(place(model), JSON.stringify(test));
    } catch { /* likewise */ }
}

class JudgeRoom extends HTMLElement {
    async enter(name) {
        const models = (await ask('/models')).models.filter((m) => !m.error && m.target);
        if (models.length === 0)
            return this.append(h('p', {}, 'None of the models that are served has a target.'));
        this.name = name || models[0].name;
        this.model = models.find((m) => m.name === this.name);
        this.target = this.model?.target;
        this.out = h('div', {'aria-live': 'polite'});
        this.append(pages('Models', 'judge', models.map((m) => [m.name]), this.name),
            ...intake(`Drop a file whose rows have ${this.target}, or choose one`, 'Judge',
                (file) => this.take(file)), this.out);
    }

    async take(file) {
        const turn = this.turn = (this.turn ?? 0) + 1;
        this.out.replaceChildren(h('p', {}, 'Judging …'));
        this.file = file;
        try {
            const test = await this.send('/test');
            if (turn !== this.turn) return;
            keep(this.model, {file: file.name, accuracy: test.accuracy, log_loss: test.log_loss,
                r2: test.r2});
            this.show(test);
        } catch (error) {
            if (turn === this.turn) this.out.replaceChildren(problem(error));
        }
    }

    path(rest, parameters = {}) {
        return modelPath(this.name, `${rest}?${new URLSearchParams(parameters)}`);
    }

    send(rest, parameters = {}) {
        return ask(this.path(rest, {filename: this.file.name, ...parameters}),
            {body: this.file, type: typeOf(this.file)});
    }

    show(test) {
        const plot = (kind, caption) => picture(this.path(`/plot/${kind}.svg`), caption,
            {body: this.file, type: typeOf(this.file)});
        const kinds = test.confusion
            ? [['confusion', 'Confusion'], ['reliability', 'Reliability'], ['roc', 'ROC']]
            : [['predicted', 'Predicted and true values'], ['residuals', 'Residuals']];
        this.rows = h('div', {'aria-live': 'polite'});
        this.out.replaceChildren(h('h3', {}, `${this.name} on ${this.file.name}`),
            table(['measure', 'value'], METRICS.filter(([key]) => test[key] != null)
                .map(([key, text]) => [text, test[key]])),
            ...(test.confusion ? this.confusion(test) : []), this.rows,
            h('div', {class: 'even'}, kinds.map(([kind, caption]) => plot(kind, caption))));
        if (test.confusion) this.mistakes({});
    }

    // Rows are true classes, columns are decisions; a cell shows the rows behind it.
    confusion(test) {
        const names = test.classes.map((c) => c.name);
        const cell = (count, truth, decision) => h('td', {class: truth === decision ? 'cell right' : 'cell'},
            h('button', {type: 'button', 'aria-label': `${count} rows: ${truth}, decided ${decision}`,
                onclick: () => this.mistakes({truth, decision})}, number(count, 12)));
        return [h('h3', {}, 'Confusion'), h('div', {class: 'tablebox'}, h('table', {},
            h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'true, decided'),
                names.map((n) => h('th', {scope: 'col'}, n)))),
            h('tbody', {}, test.confusion.map((row, i) => h('tr', {}, h('th', {scope: 'row'}, names[i]),
                row.slice(0, names.length).map((count, j) => cell(count, names[i], names[j]))))))),
        h('p', {class: 'soft'}, 'Press a cell to see its rows.')];
    }

    async mistakes(cell) {
        const title = cell.truth ? `${cell.truth}, decided ${cell.decision}` : 'The surest mistakes';
        try {
            const {found, mistakes} = await this.send('/mistakes', {top: 10, ...cell});
            const names = Object.keys(mistakes[0]?.row ?? {}).slice(0, 12);
            this.rows.replaceChildren(h('h3', {}, `${title}: ${found}`),
                mistakes.length === 0 ? h('p', {}, 'There is none.')
                    : table(['line', 'truth', 'decision', 'probability', ...names, ''],
                        mistakes.map((m) => [m.line, m.truth, m.prediction, percent(m.probability),
                            ...names.map((n) => String(m.row[n] ?? '').slice(0, 80)), this.why(m)])));
        } catch (error) {
            this.rows.replaceChildren(problem(error));
        }
    }

    why(mistake) {
        const {[this.target]: truth, ...row} = mistake.row;
        return h('a', {href: `#ask/${encodeURIComponent(this.name)}?${new URLSearchParams(row)}`}, 'Why?');
    }
}
customElements.define('judge-room', JudgeRoom);
