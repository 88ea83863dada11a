/**
 * @import { Bar } from './call-bars.js'
 * @import { Entry } from './timeline-of.js'
 */
import { element } from './element.js';
import { tellClock, tellDuration } from './tell-time.js';
import { timelineItem } from './timeline-item.js';

/** @typedef {Extract<Entry, { kind: 'retrying' | 'failed' | 'lost' | 'idle' | 'parked' | 'resumed' }>} Mishap */

/**
 * What came between two checkpoints: a failed try, a lost worker, a wait for somebody.
 * @param {Mishap} entry
 */
export function mishapView(entry) {
  switch (entry.kind) {
    case 'retrying': {
      const { error, retry_in_ms: delayMs = 0, round } = entry.event;
      const line = {
        meta: `tried again after ${tellDuration(delayMs)}`,
        bars: entry.bars,
        timed: entry.bars.slice(-1),
      };
      return timelineItem('bad', `Round ${round} brought no reply`, line, said(error));
    }
    case 'failed':
      return timelineItem(
        'bad',
        'Failed',
        { meta: tellClock(entry.at), bars: entry.bars, timed: entry.bars.slice(-1) },
        said(entry.event.turn?.error),
      );
    case 'lost':
      return lostView(entry);
    case 'idle':
      return idleView(entry.bars);
    case 'parked':
      return parkedView(entry);
    case 'resumed':
      return timelineItem('', 'Taken up again', { meta: `from its last checkpoint · ${tellClock(entry.at)}` });
  }
}

/** @param {{ code: string, message: string } | null | undefined} error */
function said(error) {
  return error && element('p', { class: 'said' }, element('code', {}, error.code), ` ${error.message}`);
}

/** @param {Bar[]} bars the wait is the last */
function idleView(bars) {
  const line = { meta: 'a worker was lost, or all were busy', bars, timed: bars.slice(-1) };
  return timelineItem('gap', 'Nobody was on it', line);
}

/** @param {Extract<Entry, { kind: 'lost' }>} entry */
function lostView({ runs, round, bars }) {
  const title = runs === 1 ? 'A worker was lost' : `${runs} workers were lost`;
  const text = `Another went on with round ${round} from the last checkpoint; nothing before it was done again.`;
  return timelineItem('bad gap', title, { bars, timed: bars.slice(-1) }, element('p', { class: 'said' }, text));
}

/** @param {Extract<Entry, { kind: 'parked' }>} entry */
function parkedView({ at, until, event }) {
  const { approvals = [], tool_outputs: outputs = [] } = event.required_action ?? {};
  const whom = [approvals.length > 0 && 'a person', outputs.length > 0 && 'the client'].filter(Boolean).join(' and ');
  if (until === null) return timelineItem('parked now', `Waits for ${whom}`, { meta: 'no worker is held meanwhile' });
  const lasted = tellDuration(Date.parse(until) - Date.parse(at));
  return timelineItem('parked', `Waited for ${whom}`, { meta: `${lasted}, with no worker held` });
}
