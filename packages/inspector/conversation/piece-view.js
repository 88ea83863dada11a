/**
 * @import { Part } from '../base/parts.js'
 * @import { LiveTurn, Round } from '../watch/watched-turn.js'
 * @import { Piece } from './thread-pieces.js'
 * @import { Input, ThreadTurn } from './watched-thread.js'
 */
import { actionButton } from '../base/controls.js';
import { codeBlock, element } from '../base/element.js';
import { keepParts } from '../base/parts.js';
import { formatDuration } from '../base/time.js';
import { markdownParts, markdownView } from '../content/markdown-view.js';
import { contentView } from '../content/part-view.js';
import { callView } from '../timeline/call-view.js';
import { askAgain, forkAfter } from './ask-again.js';

/**
 * A piece of a turn as a part of its thread.
 * @param {Piece} piece
 * @param {number} index where it stands in its turn
 * @param {{ turn: ThreadTurn, live: LiveTurn | null }} of
 * @returns {Part}
 */
export function piecePart(piece, index, { turn, live }) {
  const key = `${piece.kind}-${index}`;
  switch (piece.kind) {
    case 'asked':
      return { key, state: piece, make: () => askedView(turn, piece.input) };
    case 'joined':
      return { key, state: piece, make: () => bubble(piece.input, `Joined before round ${piece.round}`) };
    case 'pending':
      return { key, state: piece, make: () => bubble(piece.input, pendingWords(turn), 'pending') };
    case 'unread':
      return { key, state: piece.count, make: () => element('p', { class: 'meta' }, `${piece.count} rounds`) };
    case 'work':
      return {
        key,
        state: [piece, live?.calls],
        make: () => workView(turn, piece.rounds, { live, at: index }),
      };
    case 'said':
      return { key, state: piece, make: () => element('div', { class: 'reply' }, markdownView(piece.text)) };
    case 'streaming':
      return streamingPart(key, piece);
    case 'answer':
      return { key, state: piece, make: () => answerView(piece) };
  }
}

/** @param {ThreadTurn} turn */
function pendingWords({ completed_at: completedAt }) {
  return completedAt === null ? 'Joins with the next round' : 'Was not sent any more';
}

/**
 * What a caller said: messages of a user beside the answers, others by their role.
 * @param {Input} input
 * @param {string} [note]
 * @param {string} [looks]
 */
function bubble(input, note, looks = '') {
  return element(
    'div',
    { class: `asked ${looks}`, role: 'group', 'aria-label': note ?? 'Input' },
    input.map(({ role, content }) =>
      element(
        'div',
        { class: `bubble ${role}` },
        role !== 'user' && element('b', { class: 'meta' }, role),
        ...contentView(content),
      ),
    ),
    note && element('p', { class: 'meta' }, note),
  );
}

/**
 * @param {ThreadTurn} turn
 * @param {Input} input
 */
function askedView(turn, input) {
  const made = bubble(input);
  const edit = actionButton('Edit', async () => askAgain(made, turn), {
    class: 'quiet aside',
    'aria-label': 'Edit and ask again in a new conversation',
  });
  made.prepend(edit);
  return made;
}

/**
 * @param {string} key
 * @param {Extract<Piece, { kind: 'streaming' }>} piece
 * @returns {Part}
 */
function streamingPart(key, { text, reasoning }) {
  const thought = () => element('p', { class: 'thought' }, reasoning);
  return {
    key,
    state: [text, reasoning],
    make: () => element('div', { class: 'reply markdown streaming', 'aria-busy': 'true' }),
    refresh: (made) => {
      keepParts(made, [text === '' && { key: 'thought', state: reasoning, make: thought }, ...markdownParts(text)]);
    },
  };
}

/** @param {Extract<Piece, { kind: 'answer' }>} piece */
function answerView({ text, parsed }) {
  return element(
    'section',
    { class: 'reply', 'aria-label': 'Answer' },
    parsed === null ? markdownView(text) : codeBlock(JSON.stringify(parsed, null, 2), 'Answer as JSON'),
  );
}

/**
 * Rounds that asked for tools, closed: their texts, and each call as in the timeline.
 * @param {ThreadTurn} turn
 * @param {Round[]} rounds
 * @param {{ live: LiveTurn | null, at: number }} of
 */
function workView(turn, rounds, { live, at }) {
  const inside = rounds.map((round) =>
    element(
      'li',
      {},
      element(
        'div',
        { class: 'round-head' },
        element('h4', {}, `Round ${round.number}`),
        actionButton('Fork here', async () => forkAfter(turn, round.number), {
          class: 'quiet',
          'aria-label': `Fork after round ${round.number}`,
        }),
      ),
      round.assistant_response && markdownView(round.assistant_response),
      element(
        'ul',
        { class: 'calls' },
        round.tool_calls.map((call) => calledView(turn, round, { call, live })),
      ),
    ),
  );
  return element(
    'details',
    { class: 'work', 'data-key': `work-${turn.id}-${at}` },
    element(
      'summary',
      {},
      workWords(rounds),
      ' ',
      isWorking(rounds) && element('span', { class: 'badge running' }, 'running'),
    ),
    element('ol', { class: 'inside' }, inside),
  );
}

/**
 * @param {ThreadTurn} turn
 * @param {Round} round
 * @param {{ call: Round['tool_calls'][number], live: LiveTurn | null }} of
 */
function calledView(turn, round, { call, live }) {
  const result = round.results.find(({ tool_call_id: id }) => id === call.id);
  if (!result) return null;
  return callView({ call, result, bars: [] }, { turnId: turn.id, live: live?.calls[call.id], awaitsApproval: false });
}

/** @param {Round[]} rounds */
function isWorking(rounds) {
  return rounds.some(({ results }) => results.some(({ status }) => status === 'running'));
}

/**
 * How long a round took with its tools, which run side by side.
 * @param {Round} round
 */
function workMs({ started_at: from, completed_at: to, results }) {
  return Date.parse(to) - Date.parse(from) + Math.max(0, ...results.map(({ duration_ms: ms }) => ms ?? 0));
}

/** @param {Round[]} rounds */
function workWords(rounds) {
  const names = rounds.flatMap(({ tool_calls: calls }) => calls.map(({ name }) => name));
  const different = [...new Set(names)].map((name) => {
    const count = names.filter((one) => one === name).length;
    return count === 1 ? name : `${name} × ${count}`;
  });
  const lasted = formatDuration(rounds.reduce((sum, round) => sum + workMs(round), 0));
  const count = rounds.length === 1 ? '1 round' : `${rounds.length} rounds`;
  return [count, different.join(', '), lasted].filter(Boolean).join(' · ');
}
