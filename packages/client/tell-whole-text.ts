import type { TurnEvent } from './connect-pawl.ts';

type Try = { round: number; attempt: number };
type TextType = 'output_text.delta' | 'reasoning.delta';
type Known = Try & Record<TextType, string>;

/**
 * Makes each try of a round tell its text once and whole, over all connections: what was told before is cut away, and
 * what was missed is told before the event that says the round, or the turn, is complete.
 */
export function tellWholeText(): (event: TurnEvent) => TurnEvent[] {
  let known: Known = { round: 0, attempt: 0, 'output_text.delta': '', 'reasoning.delta': '' };

  function begin({ round, attempt }: Try): void {
    known = { round, attempt, 'output_text.delta': '', 'reasoning.delta': '' };
  }
  function tellDelta(event: Extract<TurnEvent, { type: TextType }>): TurnEvent[] {
    const { type, offset, delta } = event;
    const told = known[type].length;
    const fresh = delta.slice(told - offset);
    if (offset > told || fresh === '') return [];
    known[type] += fresh;
    return [{ ...event, offset: told, delta: fresh }];
  }
  function tellRest({ turn_id }: TurnEvent, { round, attempt, text }: Try & { text: string | null }): TurnEvent[] {
    const isUnderWay = round === known.round;
    const isAnother = isUnderWay && text !== null && !text.startsWith(known['output_text.delta']);
    const at = { turn_id, round, attempt: isUnderWay ? known.attempt + (isAnother ? 1 : 0) : attempt };
    const started = tell({ type: 'round.started', ...at });
    return text === null
      ? started
      : [...started, ...tell({ type: 'output_text.delta', ...at, offset: 0, delta: text })];
  }
  function tell(event: TurnEvent): TurnEvent[] {
    if (!('attempt' in event)) return [...restBefore(event), event];
    const order = event.round - known.round || event.attempt - known.attempt;
    if (order < 0 || (order === 0 && event.type === 'round.started')) return [];
    if (order > 0) begin(event);
    return event.type === 'output_text.delta' || event.type === 'reasoning.delta' ? tellDelta(event) : [event];
  }
  function restBefore(event: TurnEvent): TurnEvent[] {
    if (event.type === 'round.completed') {
      return tellRest(event, { round: event.round, attempt: event.attempts, text: event.assistant_response });
    }
    const last = 'turn' in event && event.turn.output !== null ? event.turn.rounds.at(-1) : undefined;
    if (!last || !('turn' in event)) return [];
    return tellRest(event, { round: last.number, attempt: last.attempts, text: event.turn.output });
  }
  return tell;
}
