import { showList } from './list-page.js';
import { showNew } from './new-page.js';
import { readRoute } from './route.js';
import { showServiceNotes } from './service-notes.js';
import { listenToShortcuts } from './shortcuts.js';
import { showTurn } from './turn-page.js';

const PAGES = { turns: showList, turn: showTurn, new: showNew };

const main = document.getElementById('main');
let leave = () => {};

function show() {
  if (!main) return;
  leave();
  main.replaceChildren();
  const route = readRoute(location.hash);
  leave = PAGES[route.page](main, route);
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

addEventListener('hashchange', show);
listenToShortcuts();
showServiceNotes();
show();
