/**
 * @import { CalledTool, Entry } from './timeline-of.js'
 * @import { Part } from './keep-parts.js'
 * @import { Watched } from './watch-turn.js'
 * @import { LiveTurn } from './live-turn.js'
 */
import { coveredMs } from './axis.js';
import { callView } from './call-view.js';
import { element } from './element.js';
import { foldRounds } from './fold-rounds.js';
import { keepParts } from './keep-parts.js';
import { mishapView } from './mishap-view.js';
import { askingPart, roundView } from './round-view.js';
import { wordsOf } from './status-badge.js';
import { tellClock, tellDuration } from './tell-time.js';
import { timelineItem } from './timeline-item.js';

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
function partOf(entry, index, { live, turn }) {
  const at = 'at' in entry ? tellClock(entry.at) : '';
  switch (entry.kind) {
    case 'round':
      return { key: `r${entry.round.number}`, state: entry, make: () => roundView(entry) };
    case 'batch':
      return batchPart(entry, turn?.id ?? '', live);
    case 'asking':
      return askingPart(entry, live);
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
    case 'retrying':
    case 'failed':
    case 'lost':
    case 'idle':
    case 'parked':
    case 'resumed':
      return { key: `${entry.kind}-${index}`, state: entry, make: () => mishapView(entry) };
  }
}

/**
 * @param {Extract<Entry, { kind: 'batch' }>} entry
 * @param {string} turnId
 * @param {LiveTurn} live
 * @returns {Part}
 */
function batchPart({ round, calls }, turnId, live) {
  const isDone = calls.every(({ result }) => result.completed_at !== null);
  const callParts = calls.map((called) => {
    const { id } = called.call;
    return { key: id, state: [called, live.calls[id]], make: () => callView(turnId, called, live.calls[id]) };
  });
  return {
    key: `b${round.number}`,
    state: [calls, live.calls],
    make: () => timelineItem('', '', {}, element('ul', { class: 'calls' })),
    refresh: (made) => {
      const fresh = timelineItem(`checkpoint ${isDone ? '' : 'now'}`, `Batch ${round.number}`, { meta: metaOf(calls) });
      if (isDone) fresh.firstElementChild?.append(element('span', { class: 'took' }, tellDuration(ranMs(calls))));
      made.className = fresh.className;
      made.firstElementChild?.replaceWith(...fresh.children);
      keepParts(made.lastElementChild ?? made, callParts);
    },
  };
}

/** @param {CalledTool[]} calls */
function metaOf(calls) {
  const saved = calls.filter(({ result }) => result.completed_at !== null);
  const count = calls.length === 1 ? '1 tool call' : `${calls.length} tool calls, side by side`;
  const last = saved
    .map(({ result }) => result.completed_at ?? '')
    .sort()
    .at(-1);
  if (saved.length < calls.length) return `${count} · ${saved.length} saved so far`;
  return `${count} · checkpoint ${tellClock(last ?? '')}`;
}

/** @param {CalledTool[]} calls */
function ranMs(calls) {
  const bars = calls.flatMap((called) => called.bars).filter(({ kind }) => kind === 'tool');
  return coveredMs(bars.flatMap(({ from, to }) => (to === null ? [] : [{ from, to }])));
}
