import { RequestRefused } from '#core/failure.ts';
import type { NewTurn } from '#core/turn/predict.ts';
import type { TurnRequest } from '#core/turn/request/turn.ts';

/** The fields of a request about the start time of its turn, and the fields that depend on it. */
export type StartFields = Partial<Pick<TurnRequest, 'start_at' | 'delay_seconds' | 'on_active_turn' | 'debounce_ms'>>;

const LONGEST_DELAY_MS = 31_536_000_000;

/**
 * Returns the earliest start time of a turn, or no time if the request has none. Refuses two times, a time with
 * another `on_active_turn` than `enqueue`, and a time more than a year from now by this process's clock.
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
    throw invalid(
      'debounce_ms',
      '`debounce_ms` cannot be combined with `start_at` or `delay_seconds`. Leave out `debounce_ms`, or the start time.',
    );
  const field = startAt === null ? 'delay_seconds' : 'start_at';
  if (startAt !== null && delaySeconds !== null)
    throw invalid('delay_seconds', 'Give `start_at` or `delay_seconds`, not both.');
  if ((on_active_turn ?? 'enqueue') !== 'enqueue')
    throw invalid(field, `\`${field}\` requires \`on_active_turn: "enqueue"\`. Leave out one of the two fields.`);
  if (startAt === null) return { delaySeconds };
  const at = Date.parse(startAt);
  if (at > Date.now() + LONGEST_DELAY_MS)
    throw invalid(field, '`start_at` is too late. Give a time within a year from now.');
  return { startAt: new Date(Math.max(0, at)).toISOString() };
}

/**
 * Refuses fields that belong to a single turn if the request starts no turn, because a conversation does not keep
 * them. A default is accepted.
 */
export function refuseTurnFields(given: StartFields & Partial<Pick<TurnRequest, 'priority'>>): void {
  const names = ['start_at', 'delay_seconds', 'debounce_ms', 'on_active_turn', 'priority'] as const;
  const field = names.find((name) => (given[name] ?? null) !== null && given[name] !== UNSAID[name]);
  if (!field) return;
  const message =
    `\`${field}\` belongs to a single turn, so a conversation does not keep it. Give the \`input\` ` +
    `of the first turn too, or send \`${field}\` with each turn.`;
  throw invalid(field, message);
}

const UNSAID: { [name: string]: unknown } = { on_active_turn: 'enqueue', priority: 0 };

/** Returns the start of a turn that starts when no more inputs are merged into it. */
function debounceOf(
  debounceMs: number | null,
  policy: StartFields['on_active_turn'],
): Pick<NewTurn, 'delaySeconds' | 'debounced'> {
  if (debounceMs === null) return {};
  if (policy !== 'merge')
    throw invalid(
      'debounce_ms',
      '`debounce_ms` requires `on_active_turn: "merge"`. Leave out `debounce_ms`, or set `on_active_turn`.',
    );
  return { delaySeconds: debounceMs / 1_000, debounced: true };
}

function invalid(param: string, message: string): RequestRefused {
  return new RequestRefused(400, 'invalid_value', message, param);
}
