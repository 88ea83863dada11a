/**
 * @import { Part } from '../base/parts.js'
 * @import { Route } from '../route.js'
 * @import { ThreadTurn } from '../conversation/watched-thread.js'
 * @import { Watched } from '../watch/watched-turn.js'
 */
import { element } from '../base/element.js';
import { keepParts, refusedPart } from '../base/parts.js';
import { statusBadge, titleOf } from '../base/turn-text.js';
import { piecePart } from '../conversation/piece-view.js';
import { piecesOf } from '../conversation/thread-pieces.js';
import { conversationHref, turnHref } from '../route.js';
import { troubleView } from '../turn/turn-summary.js';
import { watchTurn } from '../watch/watched-turn.js';
import { figuresTable } from './figures.js';

const TICK_MS = 1_000;

/**
 * Shows two turns side by side, live while they run: their figures, their rounds and their answers.
 * @param {HTMLElement} page
 * @param {Route} route
 * @returns {() => void} leaves the page
 */
export function showComparison(page, { query }) {
  let frame = 0;
  const changed = () => {
    frame ||= requestAnimationFrame(render);
  };
  const sides = ['left', 'right'].map((side) => watchTurn(query.get(side) ?? '', changed));
  const ticking = setInterval(
    () => sides.some(({ watched: { turn } }) => turn?.completed_at === null) && changed(),
    TICK_MS,
  );
  document.title = 'Side by side · Pawl';

  function render() {
    frame = 0;
    keepParts(page, pageParts(sides));
  }
  return () => {
    for (const { stop } of sides) stop();
    clearInterval(ticking);
    cancelAnimationFrame(frame);
  };
}

/**
 * @param {ReturnType<typeof watchTurn>[]} sides
 * @returns {(Part | false)[]}
 */
function pageParts(sides) {
  const turns = sides.flatMap(({ watched: { turn } }) => turn ?? []);
  const [first] = turns;
  const isRead = turns.length === sides.length;
  const title = first ? titleOf(first) : 'Side by side';
  return [
    { key: 'title', state: title, make: () => element('h1', {}, title) },
    ...sides.flatMap(({ watched, refresh }) => refusedPart(watched.readError, refresh)),
    isRead && figuresTable(turns),
    isRead && {
      key: 'sides',
      state: sides.map(({ watched: { turn, rounds, live } }) => [turn, rounds, live]),
      make: () => element('div', { class: 'sides' }),
      refresh: (made) =>
        keepParts(
          made,
          sides.map(({ watched }, index) => sidePart(watched, index)),
        ),
    },
  ];
}

/**
 * @param {Watched} watched
 * @param {number} index
 * @returns {Part}
 */
function sidePart({ turn, rounds, live }, index) {
  return {
    key: String(index),
    state: [turn, rounds, live],
    make: () => element('section', { class: 'side', 'aria-label': index === 0 ? 'Left' : 'Right' }),
    refresh: (made) => {
      if (!turn) return;
      const shown = /** @type {ThreadTurn} */ ({ ...turn, rounds_count: rounds.length });
      const pieces = piecesOf({ turn: shown, rounds, live });
      keepParts(made, [
        { key: 'head', state: [turn.status, turn.model], make: () => sideHead(shown) },
        ...pieces.map((piece, at) => piecePart(piece, at, { turn: shown, live })),
        (turn.error !== null || turn.incomplete_details !== null) && {
          key: 'trouble',
          state: [turn.error, turn.incomplete_details],
          make: () => troubleView(turn),
        },
      ]);
    },
  };
}

/** @param {ThreadTurn} turn */
function sideHead({ id, model, status, conversation_id: conversationId }) {
  return element(
    'header',
    {},
    element('h2', {}, model),
    statusBadge(status),
    element('a', { class: 'meta', href: turnHref(id) }, 'Timeline'),
    element('a', { class: 'meta', href: conversationHref(conversationId) }, 'Conversation'),
  );
}
