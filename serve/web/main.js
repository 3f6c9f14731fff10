// main.js - the shell: rooms, and which of them the address names (#room/thing?parameters).
import {ask, h, problem} from './lib.js';
import './rooms/models.js';
import './rooms/ask.js';
import './rooms/lectures.js';
import './rooms/networks.js';
import './rooms/judge.js';
import './rooms/teach.js';
import './rooms/train.js';

const rooms = [['models', 'Models'], ['ask', 'Ask'], ['networks', 'Networks'], ['judge', 'Judge'],
    ['train', 'Train'], ['lectures', 'Lectures']];
const main = document.getElementById('main');
let entered = false; // later, who was in the old room is taken to the new one

// The room is the custom element "NAME-room"; it is given the thing and the parameters.
async function enter() {
    const [path, query = ''] = location.hash.slice(1).split(/\?(.*)/s);
    const [name = '', thing = ''] = path.split('/');
    const [room, title] = rooms.find(([r]) => r === name) ?? rooms[0];
    const element = document.createElement(`${room}-room`);

    document.title = `${title} · Credence`;
    for (const link of document.querySelectorAll('#rooms a')) {
        if (link.hash === `#${room}`) link.setAttribute('aria-current', 'page');
        else link.removeAttribute('aria-current');
    }
    main.replaceChildren(h('h2', {}, title), element);
    if (entered && document.activeElement === document.body) main.focus({preventScroll: true});
    entered = true;
    try {
        await element.enter(decodeURIComponent(thing), new URLSearchParams(query));
    } catch (error) {
        element.append(problem(error));
    }
}

// Lessons have a room where the server takes them.
if (await ask('/models').then(({learn}) => learn, () => false))
    rooms.splice(2, 0, ['teach', 'Teach']);
document.getElementById('rooms').append(...rooms.map(([name, title]) =>
    h('li', {}, h('a', {href: `#${name}`}, title))));
document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault(); // the address stays that of the room
    main.focus();
});
addEventListener('hashchange', enter);
enter();
