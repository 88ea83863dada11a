import { showComparison } from './compare/compare-page.js';
import { showConversation } from './conversation/conversation-page.js';
import { showConversations } from './list/conversations-page.js';
import { showList } from './list/list-page.js';
import { showOverview } from './overview/overview-page.js';
import { readRoute } from './route.js';
import { showSchedules } from './schedules/schedules-page.js';
import { showServiceNotes } from './service-notes.js';
import { listenToShortcuts } from './shortcuts.js';
import { showNew } from './start/new-page.js';
import { showTurn } from './turn/turn-page.js';
import { showWorkers } from './workers/workers-page.js';

const PAGES = {
  ...{
    turns: showList,
    turn: showTurn,
    conversations: showConversations,
    conversation: showConversation,
    compare: showComparison,
  },
  ...{ schedules: showSchedules, new: showNew, overview: showOverview, workers: showWorkers },
};

/** The page in whose place of the navigation another stands. @type {Partial<Record<import('./route.js').Route['page'], string>>} */
const SECTIONS = { turn: 'turns', compare: 'conversations', conversation: 'conversations' };

const main = document.getElementById('main');
let leave = () => {};

function show() {
  if (!main) return;
  leave();
  main.replaceChildren();
  const route = readRoute(location.hash);
  const section = SECTIONS[route.page] ?? route.page;
  for (const link of document.querySelectorAll('nav a[data-page]')) {
    if (link.getAttribute('data-page') === section) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  leave = PAGES[route.page](main, route);
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

addEventListener('hashchange', show);
listenToShortcuts();
showServiceNotes();
show();
