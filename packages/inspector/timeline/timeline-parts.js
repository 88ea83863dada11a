/**
 * @import { Part } from '../base/parts.js'
 * @import { CalledTool, Entry } from './timeline-entries.js'
 * @import { Round, Watched } from '../watch/watched-turn.js'
 */

import { element } from '../base/element.js';
import { keepParts } from '../base/parts.js';
import { formatDuration, formatTimeOfDay } from '../base/time.js';
import { wordsOf } from '../base/turn-text.js';
import { coveredMs } from './axis.js';
import { callView } from './call-view.js';
import { compactionView } from './compaction-view.js';
import { interruptionView, joinedView, roundView, runningRoundPart, timelineItem } from './entry-views.js';

/**
 * A timeline's entries as parts of a page, keyed so that what is open stays open while the turn goes on; the middle of
 * a long one is folded.
 * @param {Entry[]} entries
 * @param {Watched} watched
 * @returns {Part[]}
 */
export function timelineParts(entries, watched) {
  return foldRounds(
    entries,
    entries.map((entry, index) => partOf(entry, index, watched)),
  );
}

/**
 * @param {Entry} entry
 * @param {number} index
 * @param {Watched} watched
 * @returns {Part}
 */
function partOf(entry, index, { live, turn, rounds, response }) {
  const at = 'at' in entry ? formatTimeOfDay(entry.at) : '';
  switch (entry.kind) {
    case 'round':
      return roundPart(entry, turn, rounds);
    case 'batch':
      return batchPart(entry, { turnId: turn?.id ?? '', live, response });
    case 'running':
      return runningRoundPart(entry, live);
    case 'started':
      return { key: 'started', state: entry, make: () => timelineItem('', 'Started', { meta: at, bars: entry.bars }) };
    case 'queued':
      return { key: 'queued', state: entry, make: () => timelineItem('now', 'Queued', { bars: entry.bars }) };
    case 'ended':
      return {
        key: 'ended',
        state: entry,
        make: () => timelineItem(entry.status, wordsOf(entry.status), { meta: at }),
      };
    case 'joined':
      return { key: `joined-${entry.event.sequence_number}`, state: entry, make: () => joinedView(entry) };
    case 'compacted':
      return { key: `compacted-${entry.event.round}`, state: entry, make: () => compactionView(entry) };
    case 'retrying':
    case 'changed':
    case 'tier':
    case 'failed':
    case 'lost':
    case 'idle':
    case 'waiting':
    case 'resumed':
      return { key: `${entry.kind}-${index}`, state: entry, make: () => interruptionView(entry) };
  }
}

/**
 * @param {Extract<Entry, { kind: 'round' }>} entry
 * @param {Watched['turn']} turn
 * @param {Round[]} rounds
 * @returns {Part}
 */
function roundPart(entry, turn, rounds) {
  const next = rounds.find(({ number }) => number === entry.round.number + 1);
  const isJoined = (next?.input ?? turn?.pending_input ?? []).length > 0;
  return {
    key: `r${entry.round.number}`,
    state: [entry, isJoined],
    make: () => roundView(entry, { id: turn?.id, model: turn?.model, isJoined }),
  };
}

/**
 * @param {Extract<Entry, { kind: 'batch' }>} entry
 * @param {{ turnId: string } & Pick<Watched, 'live' | 'response'>} of
 * @returns {Part}
 */
function batchPart({ round, calls }, { turnId, live, response }) {
  const isDone = calls.every(({ result }) => result.completed_at !== null);
  const isLeft = calls.every(({ result }) => result.status === 'handed_over');
  const callParts = calls.map((called, index) => {
    const { id } = called.call;
    const of = { turnId, live: live.calls[id], awaitsApproval: isRequested(response, `_r${round.number}_${index}`) };
    return { key: id, state: [called, of], make: () => callView(called, of) };
  });
  return {
    key: `b${round.number}`,
    state: [calls, live.calls, response?.output],
    make: () => timelineItem('', '', {}, element('ul', { class: 'calls' })),
    refresh: (made) => {
      const title = isLeft ? 'Handed over' : titleOf(round);
      const fresh = timelineItem(`checkpoint ${isDone ? '' : 'now'}`, title, { meta: metaOf(calls) });
      if (isDone && !isLeft)
        fresh.firstElementChild?.append(element('span', { class: 'took' }, formatDuration(ranMs(calls))));
      made.className = fresh.className;
      made.firstElementChild?.replaceWith(...fresh.children);
      keepParts(made.lastElementChild ?? made, callParts);
    },
  };
}

/**
 * Whether a response ends with the request to approve the call of a place.
 * @param {Watched['response']} response
 * @param {string} place the end of its id: `_r2_0`
 */
function isRequested(response, place) {
  /** @type {{ id: string, type: string }[]} */
  const output = response?.output ?? [];
  return output.some(({ id, type }) => type === 'mcp_approval_request' && id.endsWith(place));
}

/** @param {{ number: number }} round */
function titleOf({ number }) {
  return number === 0 ? 'Allowed calls' : `Batch ${number}`;
}

/** @param {CalledTool[]} calls */
function metaOf(calls) {
  const saved = calls.filter(({ result }) => result.completed_at !== null);
  const ran = calls.filter(({ result }) => result.status !== 'handed_over');
  const count =
    calls.length === 1 ? '1 tool call' : `${calls.length} tool calls${ran.length > 1 ? ', side by side' : ''}`;
  const last = saved
    .map(({ result }) => result.completed_at ?? '')
    .sort()
    .at(-1);
  if (saved.length < calls.length) return `${count} · ${saved.length} saved so far`;
  return `${count} · checkpoint ${formatTimeOfDay(last ?? '')}`;
}

/** @param {CalledTool[]} calls */
function ranMs(calls) {
  const bars = calls.flatMap((called) => called.bars).filter(({ kind }) => kind === 'tool');
  return coveredMs(bars.flatMap(({ from, to }) => (to === null ? [] : [{ from, to }])));
}

/** Turns of more rounds than `FEW` show these first and last ones; the rest is folded into one line. */
const FEW = 12;
const FIRST = 3;
const LAST = 5;

/** What a fold holds, by its element: filled in when it is opened. @type {WeakMap<HTMLElement, Part[]>} */
const foldedParts = new WeakMap();

/**
 * The parts of a timeline, with the middle rounds of a long turn in one part that opens on demand.
 * @param {Entry[]} entries
 * @param {Part[]} parts one for each entry
 * @returns {Part[]}
 */
function foldRounds(entries, parts) {
  const rounds = entries.flatMap(({ kind }, index) => (kind === 'round' ? [index] : []));
  if (rounds.length <= FEW) return parts;
  const from = endOf(entries, rounds[FIRST - 1] ?? 0);
  const to = endOf(entries, rounds[rounds.length - LAST - 1] ?? 0);
  return [...parts.slice(0, from), foldPart(entries.slice(from, to), parts.slice(from, to)), ...parts.slice(to)];
}

/**
 * The place after a round and its batch.
 * @param {Entry[]} entries
 * @param {number} round where it stands
 */
function endOf(entries, round) {
  const next = entries.findIndex(({ kind }, index) => index > round && kind !== 'batch' && kind !== 'idle');
  const isIdleBefore = entries[next - 1]?.kind === 'idle';
  return isIdleBefore ? next - 1 : next;
}

/**
 * @param {Entry[]} entries
 * @param {Part[]} parts
 * @returns {Part}
 */
function foldPart(entries, parts) {
  const words = summaryOf(entries);
  return {
    key: 'folded',
    state: [words, parts.map(({ state }) => state)],
    make: foldView,
    refresh: (made) => {
      foldedParts.set(made, parts);
      const summary = made.querySelector('summary');
      if (summary && summary.textContent !== words) summary.textContent = words;
      fill(made);
    },
  };
}

function foldView() {
  const details = element('details', { 'data-key': 'folded' }, element('summary', {}), element('ol', {}));
  const made = element('li', { class: 'entry folded' }, details);
  details.addEventListener('toggle', () => fill(made));
  return made;
}

/** @param {HTMLElement} made */
function fill(made) {
  const rail = made.querySelector('details[open] > ol');
  if (rail) keepParts(rail, foldedParts.get(made) ?? []);
}

/** @type {Entry['kind'][]} */
const NO_INTERRUPTION = ['round', 'batch', 'compacted', 'joined'];

/** @param {Entry[]} entries */
function summaryOf(entries) {
  const numbers = entries.flatMap((entry) => (entry.kind === 'round' ? [entry.round.number] : []));
  const calls = entries.reduce((sum, entry) => sum + (entry.kind === 'batch' ? entry.calls.length : 0), 0);
  const others = entries.filter(({ kind }) => !NO_INTERRUPTION.includes(kind)).length;
  const texts = [
    `Rounds ${numbers[0]} to ${numbers.at(-1)}`,
    calls > 0 && `${calls} tool ${calls === 1 ? 'call' : 'calls'}`,
    others > 0 && `${others} ${others === 1 ? 'interruption' : 'interruptions'}`,
  ];
  return texts.filter(Boolean).join(' · ');
}
