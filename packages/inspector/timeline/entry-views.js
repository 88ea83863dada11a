/**
 * @import { Bar } from './bars.js'
 * @import { Child } from '../base/element.js'
 * @import { Part } from '../base/parts.js'
 * @import { Entry } from './timeline-entries.js'
 * @import { LiveTurn, Round } from '../watch/watched-turn.js'
 */

import { element } from '../base/element.js';
import { formatDuration, formatTimeOfDay } from '../base/time.js';
import { formatShare, formatTokens, formatUsd } from '../base/turn-text.js';
import { contentView } from '../content/part-view.js';
import { sentFold } from '../turn/sent-view.js';
import { barTrack, durationOf } from './bars.js';

/**
 * One entry of a timeline: its title, one more line of text, and its bars.
 * @param {string} looks classes of the style sheet
 * @param {string} title
 * @param {{ meta?: Child, bars?: Bar[], timed?: Bar[] }} line `timed` are the bars that show their duration
 * @param {...Child} inside
 */
export function timelineItem(looks, title, { meta, bars = [], timed = bars }, ...inside) {
  return element(
    'li',
    { class: `entry ${looks}` },
    element(
      'div',
      { class: 'line' },
      element('div', { class: 'what' }, element('h3', {}, title), element('span', { class: 'meta' }, meta)),
      bars.length > 0 && barTrack(bars),
      timed.length > 0 && durationOf(timed),
    ),
    ...inside,
  );
}

/**
 * A committed round with its text and its numbers, and with its model where that is not the one asked for.
 * @param {Extract<Entry, { kind: 'round' }>} entry
 * @param {{ id: string | undefined, model: string | undefined, isJoined: boolean }} turn its id, the model that it asked for, and whether an input joined
 *   behind this round
 */
export function roundView({ round, bars }, { id, model, isJoined }) {
  const { number, assistant_response: text, tool_calls: calls } = round;
  const words = text ? goesOn(isJoined) : 'Its text is the answer above.';
  const hint = calls.length === 0 && element('p', { class: 'hint' }, words);
  const meta = [round.model !== model && round.model, metaOf(round, bars)].filter(Boolean).join(' · ');
  const line = { meta, bars, timed: bars.slice(-1) };
  const said = text ? element('p', { class: 'said' }, text) : null;
  return timelineItem('checkpoint', `Round ${number}`, line, said, hint, id && sentFold(id, number));
}

/** @param {boolean} isJoined */
function goesOn(isJoined) {
  if (isJoined) return 'An input joined meanwhile: the turn goes on with it.';
  return 'This answer does not fit the output schema: it is repaired.';
}

/**
 * An input that joined the turn after it was queued.
 * @param {Extract<Entry, { kind: 'joined' }>} entry
 */
export function joinedView({ at, event: { input = [] } }) {
  const said = input.flatMap(({ content }) => contentView(content));
  return timelineItem('joined', 'An input joined', { meta: formatTimeOfDay(at) }, ...said);
}

/**
 * The running round: its text grows in its element, so that it can be read and selected meanwhile.
 * @param {Extract<Entry, { kind: 'running' }>} entry
 * @param {LiveTurn} live
 * @returns {Part}
 */
export function runningRoundPart({ round, bars }, live) {
  const { text, reasoning, attempt } = live.round === round ? live : { text: '', reasoning: '', attempt: 1 };
  const pause = bars.find(({ kind }) => kind === 'pause');
  const again = pause?.to ? ` again after a pause of ${formatDuration(pause.to - pause.from)}` : '';
  const meta = `asks the model${again}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
  const said = () => [element('p', { class: 'said thought' }), element('p', { class: 'said streaming' })];
  return {
    // Each attempt is a part of its own, with bars of its own.
    key: `running-${round}-${bars[0]?.from}`,
    state: [bars, text, reasoning, meta],
    make: () => timelineItem('now', `Round ${round}`, { meta, bars, timed: bars.slice(-1) }, ...said()),
    refresh: (made) => {
      write(made, '.meta', meta);
      write(made, '.thought', reasoning);
      write(made, '.streaming', text);
    },
  };
}

/**
 * @param {HTMLElement} made
 * @param {string} selector
 * @param {string} text
 */
function write(made, selector, text) {
  const found = made.querySelector(selector);
  if (found && found.textContent !== text) found.textContent = text;
}

/**
 * @param {Round} round
 * @param {Bar[]} bars
 */
function metaOf({ attempts, usage, service_tier: tier, finish_reason: reason, ...round }, bars) {
  const { completed_at: at, tool_calls: calls } = round;
  const wait = bars.find(({ kind }) => kind === 'wait');
  const texts = [
    attempts > 1 && `attempt ${attempts}`,
    usage && `tokens ${formatTokens(usage)}`,
    usage && usage.cached_input_tokens > 0 && `${formatShare(usage)} from cache`,
    usage?.cost_usd != null && formatUsd(usage.cost_usd),
    tier && tier !== 'default' && tier !== 'standard' && `tier ${tier}`,
    reason !== 'stop' && calls.length === 0 && reason,
    wait?.to && `queued ${formatDuration(wait.to - wait.from)}`,
    `checkpoint ${formatTimeOfDay(at)}`,
  ];
  return texts.filter(Boolean).join(' · ');
}

/** @typedef {Extract<Entry, { kind: 'retrying' | 'changed' | 'tier' | 'failed' | 'lost' | 'idle' | 'waiting' | 'resumed' }>} Interruption */

/**
 * What happened between two checkpoints: a failed attempt, a lost worker, a wait for an answer.
 * @param {Interruption} entry
 */
export function interruptionView(entry) {
  switch (entry.kind) {
    case 'retrying': {
      const { error, retry_in_ms: delayMs = 0, round } = entry.event;
      const line = {
        meta: `tried again after ${formatDuration(delayMs)}`,
        bars: entry.bars,
        timed: entry.bars.slice(-1),
      };
      return timelineItem('bad', `Round ${round} brought no reply`, line, errorText(error));
    }
    case 'changed': {
      const { error, from, to } = entry.event;
      const line = { meta: `${to} is asked instead`, bars: entry.bars, timed: entry.bars.slice(-1) };
      return timelineItem('bad', `${from} cannot answer`, line, errorText(error));
    }
    case 'tier': {
      const { from, to, because = '' } = entry.event;
      const line = { meta: `${to} is asked instead`, bars: entry.bars, timed: entry.bars.slice(-1) };
      return timelineItem('', `The round leaves the tier ${from}: ${TIER_CHANGES[because] ?? because}`, line);
    }
    case 'failed':
      return timelineItem(
        'bad',
        'Failed',
        { meta: formatTimeOfDay(entry.at), bars: entry.bars, timed: entry.bars.slice(-1) },
        errorText(entry.event.turn?.error),
      );
    case 'lost':
      return lostView(entry);
    case 'idle':
      return idleView(entry.bars);
    case 'waiting':
      return waitingEntryView(entry);
    case 'resumed':
      return timelineItem('', 'Resumed', { meta: `from its last checkpoint · ${formatTimeOfDay(entry.at)}` });
  }
}

/**
 * Why a round leaves its tier.
 * @type {Record<string, string>}
 */
const TIER_CHANGES = {
  refused: 'the provider lacks capacity',
  deadline: 'the deadline is near',
  waited: 'it has waited for long enough',
};

/** @param {{ code: string, message: string } | null | undefined} error */
function errorText(error) {
  return error && element('p', { class: 'said' }, element('code', {}, error.code), ` ${error.message}`);
}

/** @param {Bar[]} bars the wait is the last */
function idleView(bars) {
  const line = { meta: 'a worker was lost, or all were busy', bars, timed: bars.slice(-1) };
  return timelineItem('gap', 'No worker was on it', line);
}

/** @param {Extract<Entry, { kind: 'lost' }>} entry */
function lostView({ runs, round, bars }) {
  const title = runs === 1 ? 'A worker was lost' : `${runs} workers were lost`;
  const text = `Another went on with round ${round} from the last checkpoint; nothing before it was done again.`;
  return timelineItem('bad gap', title, { bars, timed: bars.slice(-1) }, element('p', { class: 'said' }, text));
}

/** @param {Extract<Entry, { kind: 'waiting' }>} entry */
function waitingEntryView({ at, until, event }) {
  const { approvals = [], tool_outputs: outputs = [] } = event.required_action ?? {};
  const waitsFor = [approvals.length > 0 && 'a person', outputs.length > 0 && 'the client']
    .filter(Boolean)
    .join(' and ');
  if (until === null)
    return timelineItem('waiting now', `Waits for ${waitsFor}`, { meta: 'no worker is occupied meanwhile' });
  const lasted = formatDuration(Date.parse(until) - Date.parse(at));
  return timelineItem('waiting', `Waited for ${waitsFor}`, { meta: `${lasted}, with no worker occupied` });
}
