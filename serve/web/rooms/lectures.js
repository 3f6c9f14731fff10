// rooms/lectures.js - Lectures: interactive pages; every number on them comes from the engine.
import {h, pages} from '../lib.js';
import {coin, die, hypotheses, joint} from '../lectures/chance.js';
import {game, play, taxes} from '../lectures/boards.js';
import {gaussians} from '../lectures/gaussians.js';
import {conjunctions, curves, elimination, lengths, surfaces} from '../lectures/learning.js';
import {burglary} from '../lectures/alarm.js';

const LECTURES = [['joint', 'Joint table', joint], ['coin', 'Coin', coin], ['die', 'Die', die],
    ['hypotheses', 'Hypotheses', hypotheses], ['tennis', 'Tennis', play], ['tax', 'Tax', taxes],
    ['game', 'A very close game', game], ['gaussians', 'Two Gaussians', gaussians],
    ['curves', 'Rows arrive', curves], ['lengths', 'Description length', lengths],
    ['conjunctions', 'Version space', conjunctions], ['elimination', 'Boxes', elimination],
    ['surfaces', 'Surfaces', surfaces], ['alarm', 'Alarm', burglary]];

class LecturesRoom extends HTMLElement {
    async enter(name) {
        const [id, title, make] = LECTURES.find(([n]) => n === name) ?? LECTURES[0];
        this.append(pages('Lectures', 'lectures', LECTURES.map(([n, t]) => [n, t]), id),
            h('h3', {}, title), make());
    }
}
customElements.define('lectures-room', LecturesRoom);
