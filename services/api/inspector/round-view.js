/**
 * @import { Bar } from './call-bars.js'
 * @import { Part } from './keep-parts.js'
 * @import { LiveTurn } from './live-turn.js'
 * @import { Entry } from './timeline-of.js'
 * @import { Round } from './watch-turn.js'
 */
import { element } from './element.js';
import { tellClock, tellDuration } from './tell-time.js';
import { timelineItem } from './timeline-item.js';
import { tellTokens } from './turn-text.js';

/**
 * A committed round: what the model said before it asked for tools.
 * @param {Extract<Entry, { kind: 'round' }>} entry
 */
export function roundView({ round, bars }) {
  const { number, assistant_response: text, tool_calls: calls } = round;
  const last = calls.length === 0 && element('p', { class: 'hint' }, 'Its text is the answer above.');
  const line = { meta: metaOf(round, bars), bars, timed: bars.slice(-1) };
  return timelineItem('checkpoint', `Round ${number}`, line, text ? element('p', { class: 'said' }, text) : last);
}

/**
 * The round under way: its text grows in place, so that it can be read and marked while it comes.
 * @param {Extract<Entry, { kind: 'asking' }>} entry
 * @param {LiveTurn} live
 * @returns {Part}
 */
export function askingPart({ round, bars }, live) {
  const { text, reasoning, attempt } = live.round === round ? live : { text: '', reasoning: '', attempt: 1 };
  const pause = bars.find(({ kind }) => kind === 'pause');
  const again = pause?.to ? ` again after a pause of ${tellDuration(pause.to - pause.from)}` : '';
  const meta = `asks the model${again}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
  const said = () => [element('p', { class: 'said thought' }), element('p', { class: 'said streaming' })];
  return {
    // A try after another is a part of its own, with bars of its own.
    key: `asking-${round}-${bars[0]?.from}`,
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
 * @param {string} place
 * @param {string} text
 */
function write(made, place, text) {
  const found = made.querySelector(place);
  if (found && found.textContent !== text) found.textContent = text;
}

/**
 * @param {Round} round
 * @param {Bar[]} bars
 */
function metaOf({ attempts, usage, finish_reason: reason, completed_at: at, tool_calls: calls }, bars) {
  const wait = bars.find(({ kind }) => kind === 'wait');
  const told = [
    attempts > 1 && `attempt ${attempts}`,
    usage && `tokens ${tellTokens(usage)}`,
    reason !== 'stop' && calls.length === 0 && reason,
    wait?.to && `queued ${tellDuration(wait.to - wait.from)}`,
    `checkpoint ${tellClock(at)}`,
  ];
  return told.filter(Boolean).join(' · ');
}
