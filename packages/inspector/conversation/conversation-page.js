/**
 * @import { Part } from '../base/parts.js'
 * @import { Route } from '../route.js'
 * @import { Thread, ThreadTurn } from './watched-thread.js'
 */
import { actionButton, copyButton, notice } from '../base/controls.js';
import { element } from '../base/element.js';
import { keepParts, refusedPart } from '../base/parts.js';
import { formatDuration, serverNow } from '../base/time.js';
import { titleOf } from '../base/turn-text.js';
import { conversationsHref, listHref, turnHref } from '../route.js';
import { replyBox } from './reply-box.js';
import { isActive } from './thread-order.js';
import { threadTurnPart } from './thread-turn.js';
import { watchThread } from './watched-thread.js';

/** How far from the end of the page counts as at its end, in pixels. */
const SLACK_PX = 120;

const TICK_MS = 1_000;

/**
 * Shows a conversation as a thread, live while it is at work, with a box to go on.
 * @param {HTMLElement} page
 * @param {Route} route
 * @returns {() => void} leaves the page
 */
export function showConversation(page, { id }) {
  let frame = 0;
  let isShown = false;
  let goesToEnd = false;
  const seen = noteSeen((turn) => watch.readRounds(turn).catch(tell));
  const watch = watchThread(id, () => {
    frame ||= requestAnimationFrame(render);
  });
  const { thread } = watch;
  const ticking = setInterval(() => tick(page), TICK_MS);
  document.title = 'Conversation · Pawl';
  page.classList.add('conversation');

  function render() {
    frame = 0;
    const goOn = keepPlace(isShown && !goesToEnd);
    goesToEnd = false;
    keepParts(page, pageParts(id, { watch, seen, spoke }));
    goOn();
    isShown = thread.isRead;
  }

  async function spoke() {
    goesToEnd = true;
    await watch.again();
  }

  return () => {
    watch.stop();
    seen.stop();
    clearInterval(ticking);
    cancelAnimationFrame(frame);
    page.classList.remove('conversation');
  };
}

/** @param {unknown} error */
function tell(error) {
  if (!(error instanceof DOMException)) notice(error instanceof Error ? error.message : String(error));
}

/**
 * @param {string} id
 * @param {{ watch: ReturnType<typeof watchThread>, seen: ReturnType<typeof noteSeen>, spoke: () => Promise<void> }} of
 * @returns {(Part | false)[]}
 */
function pageParts(id, { watch, seen, spoke }) {
  const { thread, again, readEarlier } = watch;
  const { items, cursor, isRead, refused } = thread;
  const isAtWork = items.some(({ turn }) => isActive(turn));
  const turnParts = () => items.map((item) => threadTurnPart(item, { refresh: again, seen: seen.note }));
  return [
    isRead && headPart(id, thread),
    ...refusedPart(refused, again),
    cursor !== null && { key: 'earlier', state: cursor, make: () => earlierView(readEarlier) },
    isRead && {
      key: 'thread',
      state: items,
      make: () => element('ol', { class: 'thread', 'aria-label': 'Turns' }),
      refresh: (made) => keepParts(made, turnParts()),
    },
    isRead && replyBox(id, isAtWork, spoke),
  ];
}

/**
 * @param {string} id
 * @param {Thread} thread
 * @returns {Part}
 */
function headPart(id, { items, cursor, conversation }) {
  const first = items[0]?.turn;
  const title = (first && cursor === null && titleOf(first)) || 'Conversation';
  const { forked_from: forkedFrom = null, after_round: round = null } = conversation ?? {};
  const make = () =>
    element(
      'header',
      { class: 'turn-head' },
      element(
        'p',
        { class: 'crumbs' },
        element('a', { href: conversationsHref(null) }, 'Conversations'),
        copyButton(id, () => id, `Copy ${id}`),
        element('a', { class: 'meta', href: listHref({ conversation_id: id }) }, 'As a list'),
      ),
      element('h1', {}, title),
      forkedFrom &&
        element(
          'p',
          { class: 'meta' },
          'Goes on from ',
          element('a', { href: turnHref(forkedFrom) }, 'another conversation'),
          round === null ? '' : round === 0 ? ', before its turn’s first round' : `, after round ${round} of its turn`,
        ),
    );
  return { key: 'head', state: [title, forkedFrom, round], make };
}

/** Earlier turns are read when the beginning of the thread comes into view, or at a click. @param {() => Promise<void>} read */
function earlierView(read) {
  const button = actionButton('Earlier turns', read, { class: 'quiet' });
  const made = element('div', { class: 'earlier' }, button);
  const observer = new IntersectionObserver((entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting) && scrollY > 0) button.click();
  });
  observer.observe(made);
  return made;
}

/**
 * Notes which turns come near the view.
 * @param {(turn: ThreadTurn) => void} came
 */
function noteSeen(came) {
  const turns = /** @type {WeakMap<Element, ThreadTurn>} */ (new WeakMap());
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const turn = turns.get(target);
        if (isIntersecting && turn && turn.rounds_count > 0) came(turn);
      }
    },
    { rootMargin: '400px' },
  );
  return {
    note: (/** @type {HTMLElement} */ made, /** @type {ThreadTurn} */ turn) => {
      turns.set(made, turn);
      // Told anew of an element that is in view already.
      observer.unobserve(made);
      observer.observe(made);
    },
    stop: () => observer.disconnect(),
  };
}

/**
 * Keeps what a person looks at where it is while the page grows: its end where that is in view, else the lowest part.
 * @param {boolean} isShown
 */
function keepPlace(isShown) {
  const { scrollHeight } = document.documentElement;
  const below = scrollHeight - scrollY - innerHeight;
  const first = document.querySelector('.thread-turn')?.getAttribute('data-turn');
  return () => {
    if (!isShown || below <= SLACK_PX) toEnd();
    else if (document.querySelector('.thread-turn')?.getAttribute('data-turn') !== first) {
      scrollTo(0, document.documentElement.scrollHeight - innerHeight - below);
    }
  };
}

function toEnd() {
  scrollTo(0, document.documentElement.scrollHeight);
}

/** @param {HTMLElement} page */
function tick(page) {
  for (const cell of page.querySelectorAll('.lasted[data-from]')) {
    cell.textContent = formatDuration(serverNow() - Date.parse(cell.getAttribute('data-from') ?? ''));
  }
}
