import { RequestRefused } from '../failure.ts';

/**
 * Splits `provider/model`. The model's own name may contain further slashes. Any other text is a `RequestRefused`
 * 400.
 */
export function splitModel(name: string): { provider: string; model: string } {
  const slash = name.indexOf('/');
  if (slash < 1 || slash === name.length - 1) {
    const message = 'Name the model as provider/model, for example openai/gpt-4.1.';
    throw new RequestRefused(400, 'invalid_model', message, 'model');
  }
  return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}
