import { LRUCache } from 'lru-cache';

/** Servers are updated, and gateways move models: after this time a model is asked as configured again. */
const HOUR_MS = 60 * 60 * 1000;

/** Remembers the form in which a server takes requests, for the last 1,000 models and an hour at most. */
export function rememberForms<Form extends object>(configured: Form) {
  const learned = new LRUCache<string, Form>({ max: 1_000, ttl: HOUR_MS });
  return {
    formFor: (model: string): Form => learned.get(model) ?? configured,
    learn: (model: string, form: Form): void => void learned.set(model, form),
  };
}
