/**
 * @import { Entry } from './timeline-of.js'
 * @import { Part } from './keep-parts.js'
 */
import { element } from './element.js';
import { keepParts } from './keep-parts.js';

/** Turns of more rounds than `FEW` show these first and last ones; the rest is folded into one line. */
const FEW = 12;
const FIRST = 3;
const LAST = 5;

/** What a fold holds, by its element: filled in when it is opened. @type {WeakMap<HTMLElement, Part[]>} */
const held = new WeakMap();

/**
 * The parts of a timeline, with the middle rounds of a long turn in one part that opens on demand.
 * @param {Entry[]} entries
 * @param {Part[]} parts one for each entry
 * @returns {Part[]}
 */
export function foldRounds(entries, parts) {
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
  const words = wordsOf(entries);
  return {
    key: 'folded',
    state: [words, parts.map(({ state }) => state)],
    make: foldView,
    refresh: (made) => {
      held.set(made, parts);
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
  if (rail) keepParts(rail, held.get(made) ?? []);
}

/** @param {Entry[]} entries */
function wordsOf(entries) {
  const numbers = entries.flatMap((entry) => (entry.kind === 'round' ? [entry.round.number] : []));
  const calls = entries.reduce((sum, entry) => sum + (entry.kind === 'batch' ? entry.calls.length : 0), 0);
  const others = entries.filter(({ kind }) => kind !== 'round' && kind !== 'batch').length;
  const told = [
    `Rounds ${numbers[0]} to ${numbers.at(-1)}`,
    calls > 0 && `${calls} tool ${calls === 1 ? 'call' : 'calls'}`,
    others > 0 && `${others} ${others === 1 ? 'interruption' : 'interruptions'}`,
  ];
  return told.filter(Boolean).join(' · ');
}
