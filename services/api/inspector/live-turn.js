/** @import { TurnEvent } from './follow-events.js' */

/**
 * What is under way and not committed: the text of the round that runs, and what running tools say of themselves.
 * @typedef {{ round: number, attempt: number, text: string, reasoning: string,
 *   calls: Record<string, LiveCall> }} LiveTurn
 */

/** @typedef {{ startedAt: string, statusText: string | null, progress: unknown }} LiveCall */

/** @type {LiveTurn} */
export const NOTHING_LIVE = { round: 0, attempt: 0, text: '', reasoning: '', calls: {} };

/**
 * What is under way after one more live event. A new attempt begins from nothing; an old one is not listened to.
 * @param {LiveTurn} live
 * @param {TurnEvent} event
 * @param {number} now in ms since 1970
 * @returns {LiveTurn}
 */
export function hearLive(live, event, now) {
  if (event.tool_call_id) return hearCall(live, event, { id: event.tool_call_id, now });
  const { round = 0, attempt = 0, offset = 0, delta = '' } = event;
  const order = round - live.round || attempt - live.attempt;
  if (attempt === 0 || order < 0) return live;
  const current = order > 0 ? { ...NOTHING_LIVE, calls: live.calls, round, attempt } : live;
  if (event.type === 'output_text.delta') return { ...current, text: current.text.slice(0, offset) + delta };
  if (event.type === 'reasoning.delta') return { ...current, reasoning: current.reasoning.slice(0, offset) + delta };
  return current;
}

/**
 * @param {LiveTurn} live
 * @param {TurnEvent} event
 * @param {{ id: string, now: number }} heard
 * @returns {LiveTurn}
 */
function hearCall(live, { type, status_text: statusText = null, value = null }, { id, now }) {
  const started = { startedAt: new Date(now).toISOString(), statusText, progress: null };
  const isProgress = type === 'tool_call.progress';
  const call = isProgress ? { ...(live.calls[id] ?? started), progress: value } : started;
  return { ...live, calls: { ...live.calls, [id]: call } };
}
