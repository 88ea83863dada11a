/**
 * @import { Part } from '../base/parts.js'
 * @import { Route } from '../route.js'
 * @import { KnownTurn } from '../timeline/timeline.js'
 */

import { element } from '../base/element.js';
import { keepParts, refusedPart } from '../base/parts.js';
import { titleOf } from '../base/turn-text.js';
import { requestOf } from '../start/turn-request.js';
import { tickTimeline, timelinePart } from '../timeline/timeline.js';
import { watchTurn } from '../watch/watched-turn.js';
import { answerForms } from './answer-form.js';
import { chainPart } from './chain-view.js';
import { configPart } from './config-view.js';
import { deliveryList } from './delivery-list.js';
import { inputView, isBeyondTitle } from './input-view.js';
import { curlCommands, rawViews } from './raw-views.js';
import { answerView, metadataView, troubleView, turnFacts, turnHead } from './turn-summary.js';
import { waitingOf, waitingView } from './waiting-view.js';

const TICK_MS = 200;

/** How far below the window the end may be and still count as visible: a zoomed page rounds. */
const SLACK_PX = 40;

/**
 * Shows one turn, live while it runs.
 * @param {HTMLElement} page
 * @param {Route} route
 * @returns {() => void} leaves the page
 */
export function showTurn(page, { id }) {
  let frame = 0;
  const { watched, refresh, stop } = watchTurn(id, () => {
    frame ||= requestAnimationFrame(render);
  });
  const ticking = setInterval(() => {
    const { turn } = watched;
    if (turn?.completed_at === null) tickTimeline(page, { ...watched, turn });
  }, TICK_MS);
  const comeBack = () => document.visibilityState === 'visible' && refresh();
  document.addEventListener('visibilitychange', comeBack);

  function render() {
    frame = 0;
    const { turn, readError, followError } = watched;
    const follow = keepEnd(page, turn);
    keepParts(page, [
      ...refusedPart(readError ?? followError, refresh),
      ...(turn ? turnParts({ ...watched, turn }, refresh) : []),
    ]);
    if (!turn) return;
    document.title = `${titleOf(turn)} · Pawl`;
    tickTimeline(page, { ...watched, turn });
    follow();
  }

  return () => {
    stop();
    clearInterval(ticking);
    cancelAnimationFrame(frame);
    document.removeEventListener('visibilitychange', comeBack);
  };
}

/**
 * Keeps a page that is scrolled to the end of a running turn at its end. Call the returned function when the page has
 * grown.
 * @param {HTMLElement} page
 * @param {KnownTurn['turn'] | null} turn
 */
function keepEnd(page, turn) {
  const last = () => page.querySelector('.timeline > ol > :last-child');
  const foot = last()?.getBoundingClientRect().bottom;
  const isAtEnd = scrollY > 0 && foot !== undefined && foot > 0 && foot <= innerHeight + SLACK_PX;
  return () => {
    if (isAtEnd && turn?.completed_at === null) last()?.scrollIntoView({ block: 'nearest' });
  };
}

/**
 * A turn's page from top to bottom: its head, what it needs, its answer, its timeline.
 * @param {KnownTurn} watched
 * @param {() => void} refresh
 * @returns {(Part | false)[]}
 */
function turnParts(watched, refresh) {
  const { turn, conversation, rounds, events, deliveries, response, responseInput, isConnected } = watched;
  const { status, output, error, incomplete_details: incomplete, warnings, usage, round, input } = turn;
  const request = conversation && requestOf(turn, conversation);
  const waiting = waitingOf(turn);
  const { metadata, output_parsed: parsed } = turn;
  return [
    { key: 'head', state: [turn.id, status], make: () => turnHead(turn, refresh) },
    !isConnected && { key: 'lost', state: null, make: lostView },
    waiting !== null && { key: 'waiting', state: waiting, make: () => waitingView(waiting) },
    ...answerForms(turn, refresh),
    hasTrouble(turn) && { key: 'trouble', state: [error, incomplete, warnings], make: () => troubleView(turn) },
    output !== null && { key: 'answer', state: [output, parsed], make: () => answerView(output, parsed) },
    { key: 'facts', state: [usage, round, response?.background], make: () => turnFacts(turn, response) },
    Object.keys(metadata).length > 0 && { key: 'metadata', state: metadata, make: () => metadataView(metadata) },
    ...chainPart(watched),
    isBeyondTitle(turn, responseInput) && {
      key: 'input',
      state: [input, responseInput],
      make: () => inputView(turn, responseInput),
    },
    timelinePart(watched),
    deliveries.length > 0 && { key: 'sent', state: deliveries, make: () => deliveryList(deliveries, refresh) },
    configPart(turn.id),
    ...rawViews(curlCommands(turn, request), [
      ['turn', turn],
      ...(response ? [/** @type {[string, unknown]} */ (['response', response])] : []),
      ['rounds', rounds],
      ['events', events.slice()],
    ]),
  ];
}

/** @param {KnownTurn['turn']} turn */
function hasTrouble({ error, incomplete_details: incomplete, warnings }) {
  return error !== null || incomplete !== null || warnings.length > 0;
}

function lostView() {
  return element(
    'p',
    { class: 'trouble', role: 'status' },
    'The connection was lost. What is shown may be old; trying again.',
  );
}
