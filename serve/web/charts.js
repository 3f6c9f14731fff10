// charts.js - small pictures as custom elements; the property "data" holds their data.
import {h, number, percent, s, signed} from './lib.js';

// No wider than the page, so that text keeps its size on a phone.
const fit = (most) => Math.min(most, Math.max(260, document.documentElement.clientWidth - 32));
const short = (text, size) => (text.length > size ? `${text.slice(0, size - 1)}…` : text);

class Chart extends HTMLElement {
    #data;
    get data() { return this.#data; }
    set data(value) {
        this.#data = value;
        this.replaceChildren(...[this.draw(value)].flat());
    }
}

// [[name, share, words], …]: a bar for each.
class ShareBars extends Chart {
    draw(bars) {
        const most = this.hasAttribute('scaled') ? Math.max(...bars.map((b) => b[1]), 1e-300) : 1;
        const said = (b) => b[2] ?? percent(b[1]);
        const width = fit(360);
        return s('svg', {viewBox: `0 0 ${width} ${bars.length * 24 + 2}`, width, role: 'img',
            'aria-label': bars.map((b) => `${b[0]}: ${said(b)}`).join('; ')},
        bars.map((b, i) => s('g', {transform: `translate(0 ${i * 24})`},
            s('title', {}, `${b[0]}: ${said(b)}`),
            s('text', {x: 0, y: 16}, short(b[0], 18)),
            s('rect', {x: 120, y: 4, height: 16, width: Math.max(0, (width - 200) * b[1] / most),
                class: this.hasAttribute('plain') ? 'c0' : `c${i % 6}`}),
            s('text', {x: width - 4, y: 16, 'text-anchor': 'end'}, said(b)))));
    }
}

// {steps: [[name, amount], …], start, end: words, colours}: amounts added from start, one below the
// other; colours are those of positive and negative amounts.
class WaterFall extends Chart {
    draw({steps, start = 0, end, colours: [above, below] = [0, 1]}) {
        let sum = start, low = start, high = start;
        const bars = steps.map(([name, amount]) => {
            const from = sum;
            sum += amount;
            low = Math.min(low, sum);
            high = Math.max(high, sum);
            return {name, amount, from, to: sum};
        });
        if (high - low < 1e-9) high = low + 1;
        const width = fit(490), left = width > 400 ? 190 : 130;
        const x = (v) => left + (width - left - 70) * (v - low) / (high - low);
        const line = (b, i, total) => s('g', {transform: `translate(0 ${i * 22})`},
            s('title', {}, `${b.name}: ${signed(b.amount)}`),
            s('text', {x: 0, y: 15}, short(b.name, Math.floor(left / 7))),
            s('rect', {x: Math.min(x(b.from), x(b.to)), y: 4, height: 14,
                width: Math.max(1, Math.abs(x(b.to) - x(b.from))),
                class: total ? 'total' : `c${b.amount < 0 ? below : above}`}),
            s('text', {x: width - 2, y: 15, 'text-anchor': 'end'},
                total ? number(b.amount) : signed(b.amount)));
        const height = (bars.length + 1) * 22 + 4;
        return s('svg', {viewBox: `0 0 ${width} ${height}`, width, role: 'img', 'aria-label':
            [...bars.map((b) => `${b.name} ${signed(b.amount)}`), `${end}: ${number(sum)}`].join('; ')},
        s('path', {class: 'axis', d: `M${x(start)} 0V${height}`}),
        bars.map((b, i) => line(b, i)),
        line({name: end, amount: sum, from: start, to: sum}, bars.length, true));
    }
}

// {name, p, low, high}: a probability on a line, with the decision thresholds.
class ThresholdLine extends Chart {
    draw({name, p, low, high}) {
        const width = fit(360), x = (v) => 10 + (width - 20) * v;
        const mark = (v, text, y) => s('text', {x: Math.min(Math.max(x(v), 60), width - 60), y,
            'text-anchor': 'middle'}, text);
        return s('svg', {viewBox: `0 0 ${width} 66`, width, role: 'img', 'aria-label':
            `P(${name}) is ${percent(p)}; ${name} is decided above ${percent(high)}` +
            (low < high ? `, nothing from ${percent(low)} on` : '')},
        s('rect', {class: 'c0', opacity: .35, x: x(0), y: 22, height: 14, width: x(low) - x(0)}),
        s('rect', {class: 'c1', opacity: .35, x: x(high), y: 22, height: 14, width: x(1) - x(high)}),
        [...new Set([low, high])].map((v) => s('path', {class: 'edge', d: `M${x(v)} 20V42`})),
        mark(high, `threshold ${percent(high)}`, 12),
        s('path', {class: 'pointer', d: `M${x(p)} 38l6 10h-12Z`}), mark(p, `P(${short(name, 14)}) ${percent(p)}`, 60));
    }
}

// {x, lines: [{name, y, dash}], shades: [y], regions: [{low, high, name, index}], label}: curves
// over numbers; shades and regions have the colours of the lines.
class LinePlot extends Chart {
    draw({x, lines, shades = [], regions = [], label, low, high, from = x[0], to = x[x.length - 1]}) {
        const top = high ?? Math.max(...lines.flatMap((l) => l.y.filter(Number.isFinite)), 1e-300);
        const floor = low ?? 0;
        const width = fit(500), right = width - 24;
        const px = (v) => 46 + (right - 46) * (Math.min(Math.max(v, from), to) - from) / (to - from);
        const py = (v) => 12 + 200 * (1 - (Math.min(Math.max(v, floor), top) - floor) / (top - floor));
        const path = (y) => y.map((v, i) => `${i ? 'L' : 'M'}${px(x[i]).toFixed(1)} ` +
            py(Number.isFinite(v) ? v : floor).toFixed(1)).join('');
        const ticks = [0, 1, 2, 3, 4].map((i) => from + (to - from) * i / 4);
        const height = regions.length ? 262 : 240;
        return [s('svg', {viewBox: `0 0 ${width} ${height}`, width, role: 'img', 'aria-label': label},
            shades.map((y, i) => s('path', {class: `shade c${i % 6}`,
                d: `${path(y)}L${px(to)} ${py(floor)}L${px(from)} ${py(floor)}Z`})),
            s('path', {class: 'axis', d: `M46 12V212H${right}`}),
            ticks.map((t) => s('text', {class: 'soft', x: px(t), y: 230, 'text-anchor': 'middle'},
                number(t, 3))),
            [floor, top].map((v) => s('text', {class: 'soft', x: 42, y: py(v) + 4,
                'text-anchor': 'end'}, number(v, 3))),
            lines.map((l, i) => s('path', {class: `l c${i % 6}${l.dash ? ' dash' : ''}`, d: path(l.y)})),
            regions.map((r, i) => px(r.high) > px(r.low) && s('g', {},
                i > 0 && s('path', {class: 'edge', d: `M${px(r.low)} 12V212`}),
                s('rect', {class: r.index < 0 ? 'none' : `c${r.index % 6}`, opacity: .35, x: px(r.low),
                    y: 240, height: 18, width: px(r.high) - px(r.low)}),
                px(r.high) - px(r.low) > 20 && s('text', {x: (px(r.low) + px(r.high)) / 2, y: 253,
                    'text-anchor': 'middle'}, r.name)))),
        h('ul', {class: 'key'}, lines.map((l, i) => h('li', {},
            s('svg', {width: 24, height: 10, viewBox: '0 0 24 10', 'aria-hidden': 'true'},
                s('path', {class: `l c${i % 6}${l.dash ? ' dash' : ''}`, d: 'M0 5H24'})), l.name)))];
    }
}

// A surface as POST /compute/surface gives it: the most probable class of each point.
class SurfacePlot extends Chart {
    draw({x, y, classes, posterior, learner}) {
        const w = 300 / x.length, t = 220 / y.length, k = classes.length;
        const cells = y.flatMap((_, j) => x.map((_, i) => {
            const p = posterior.slice((j * x.length + i) * k, (j * x.length + i + 1) * k);
            const best = p.indexOf(Math.max(...p));
            return s('rect', {x: (i * w).toFixed(2), y: (220 - (j + 1) * t).toFixed(2),
                width: w.toFixed(2), height: t.toFixed(2), class: `c${best % 6}`,
                opacity: (.15 + .85 * Math.max(0, (p[best] - 1 / k) / (1 - 1 / k))).toFixed(2)});
        }));
        return s('svg', {viewBox: '0 0 300 220', width: 300, role: 'img',
            'shape-rendering': 'crispEdges',
            'aria-label': `Surface of ${learner}`}, cells);
    }
}

// The colours of classes.
export function key(names) {
    return h('ul', {class: 'key'}, names.map((name, i) => h('li', {},
        s('svg', {width: 14, height: 14, viewBox: '0 0 14 14', 'aria-hidden': 'true'},
            s('rect', {class: `c${i % 6}`, width: 14, height: 14})), name)));
}

customElements.define('share-bars', ShareBars);
customElements.define('water-fall', WaterFall);
customElements.define('threshold-line', ThresholdLine);
customElements.define('line-plot', LinePlot);
customElements.define('surface-plot', SurfacePlot);

export function chart(tag, data, attributes = {}) {
    const element = h(tag, attributes);
    element.data = data;
    return element;
}
