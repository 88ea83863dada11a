import { LRUCache } from 'lru-cache';
import type { RoundRequest } from '../provider.ts';

/** Servers are updated, and gateways move models. After this time a model is asked as configured again. */
const HOUR_MS = 60 * 60 * 1000;

/**
 * Remembers the form of requests that a server accepts, for the last 1,000 models and at most an hour. A round with
 * answers of a batch begins in the configured form, so that its refusals teach the same form again.
 */
export function rememberForms<Form extends object>(configured: Form) {
  const learned = new LRUCache<string, Form>({ max: 1_000, ttl: HOUR_MS });
  return {
    formFor: ({ model, exchange }: Pick<RoundRequest, 'model' | 'exchange'>): Form =>
      (exchange?.hasAnswers ? undefined : learned.get(model)) ?? configured,
    learn: (model: string, form: Form): void => void learned.set(model, form),
  };
}
