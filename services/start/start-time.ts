import { RequestRefused } from '#core/failure.ts';
import type { NewTurn } from '#core/turn/predict.ts';
import type { TurnRequest } from '#core/turn/request/turn.ts';

/** The fields of a request that say when its turn may be begun, and what goes with them. */
export type StartFields = Partial<Pick<TurnRequest, 'start_at' | 'delay_seconds' | 'on_active_turn' | 'debounce_ms'>>;

const LONGEST_DELAY_MS = 31_536_000_000;

/**
 * When a turn may be begun at the earliest; nothing where its request does not say. Refuses two answers, one that only makes sense
 * for a turn which waits for its turn, and one more than a year ahead by this process's clock.
 */
export function startTimeOf({
  start_at,
  delay_seconds,
  on_active_turn,
  debounce_ms,
}: StartFields): Pick<NewTurn, 'startAt' | 'delaySeconds' | 'debounced'> {
  const startAt = start_at ?? null;
  const delaySeconds = delay_seconds ?? null;
  if (startAt === null && delaySeconds === null) return debounceOf(debounce_ms ?? null, on_active_turn);
  if ((debounce_ms ?? null) !== null)
    throw invalid('debounce_ms', 'debounce_ms goes with neither start_at nor delay_seconds. Leave it out, or them.');
  const field = startAt === null ? 'delay_seconds' : 'start_at';
  if (startAt !== null && delaySeconds !== null)
    throw invalid('delay_seconds', 'Give start_at or delay_seconds, not both.');
  if ((on_active_turn ?? 'enqueue') !== 'enqueue')
    throw invalid(field, `${field} goes with on_active_turn enqueue only. Leave one of the two out.`);
  if (startAt === null) return { delaySeconds };
  const at = Date.parse(startAt);
  if (at > Date.now() + LONGEST_DELAY_MS) throw invalid(field, 'Give a start_at within a year from now.');
  return { startAt: new Date(Math.max(0, at)).toISOString() };
}

/**
 * Refuses what is said of one turn alone where the request starts none: no conversation keeps it, so nothing would come of it. A
 * default changes nothing.
 */
export function refuseTurnFields(given: StartFields & Partial<Pick<TurnRequest, 'priority'>>): void {
  const names = ['start_at', 'delay_seconds', 'debounce_ms', 'on_active_turn', 'priority'] as const;
  const field = names.find((name) => (given[name] ?? null) !== null && given[name] !== UNSAID[name]);
  if (!field) return;
  const message = `${field} is of a turn, and no conversation keeps it. Give the input of the first turn too, or send ${field} with each turn.`;
  throw invalid(field, message);
}

const UNSAID: { [name: string]: unknown } = { on_active_turn: 'enqueue', priority: 0 };

/** A turn that is to begin only once no more inputs are merged into it. */
function debounceOf(
  debounceMs: number | null,
  policy: StartFields['on_active_turn'],
): Pick<NewTurn, 'delaySeconds' | 'debounced'> {
  if (debounceMs === null) return {};
  if (policy !== 'merge')
    throw invalid('debounce_ms', 'debounce_ms goes with on_active_turn merge only. Leave it out, or merge.');
  return { delaySeconds: debounceMs / 1_000, debounced: true };
}

function invalid(param: string, message: string): RequestRefused {
  return new RequestRefused(400, 'invalid_value', message, param);
}
