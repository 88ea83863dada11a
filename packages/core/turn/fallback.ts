import type { ProviderFailed } from '../failure.ts';
import type { Turn } from './turn.ts';

/** Failures that a model will repeat and another model need not: refused for good, or overloaded. */
const AT_ONCE = [
  'provider_authentication_failed',
  'provider_permission_denied',
  'provider_model_not_found',
  'quota_exceeded',
  'provider_overloaded',
];

/** Failures that say nothing of the model: an answer that breaks its promise is one too. */
const NEVER = ['context_length_exceeded', 'provider_invalid_request', 'tool_choice_violated', 'internal'];

/** What is known of a model that did not answer. `isOver`: no try is left; `waitMs`: how long it is to be left alone. */
type Unanswered = { failure: ProviderFailed; isOver: boolean; waitMs: number };

/**
 * The model to ask next where one did not answer (contract-more §2); null to stay with it. At once where it would refuse
 * again, or where it has to be waited for longer than `fallbackAfterMs`; else when no try is left.
 */
export function fallbackFor(
  turn: Pick<Turn, 'config' | 'work'>,
  { failure, isOver, waitMs }: Unanswered,
  fallbackAfterMs: number,
): string | null {
  if (NEVER.includes(failure.code)) return null;
  const askedMs = failure.retry.kind === 'never' ? 0 : (failure.retry.afterMs ?? 0);
  const isDue = isOver || AT_ONCE.includes(failure.code) || Math.max(askedMs, waitMs) > fallbackAfterMs;
  return isDue ? nextModel(turn) : null;
}

/** The model behind the one that a turn asks now; null where that is the last. */
export function nextModel({ config, work }: Pick<Turn, 'config' | 'work'>): string | null {
  const models = modelsOf(config);
  return models[models.indexOf(work.model) + 1] ?? null;
}

/** The models of a turn in the order in which they are asked, each once. */
export function modelsOf({ model, fallback_models = [] }: Pick<Turn['config'], 'model' | 'fallback_models'>): string[] {
  return [...new Set([model, ...fallback_models])];
}
