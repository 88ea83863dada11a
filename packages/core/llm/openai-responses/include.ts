import type { HostedType } from '../../turn/hosted/hosted-tool.ts';
import type { RoundRequest } from '../provider.ts';

/** The state that a model requires in later requests, since the server stores no responses. */
const STATE = 'reasoning.encrypted_content';

/** The values of `include` for the results of hosted tools. */
const RESULTS: Partial<Record<HostedType, string>> = {
  web_search: 'web_search_call.action.sources',
  code_execution: 'code_interpreter_call.outputs',
  file_search: 'file_search_call.results',
};

/** The values of `include` that Pawl adds. */
export const INCLUDED: readonly string[] = [STATE, ...Object.values(RESULTS)];

/**
 * Returns the supported values that a request needs, with the caller's list. Null if the caller replaces the list.
 */
export function includeOf(
  { hostedTools = [], providerOptions = {} }: Partial<Pick<RoundRequest, 'hostedTools' | 'providerOptions'>>,
  supported: readonly string[],
): string[] | null {
  const { include: given } = providerOptions;
  if (Object.hasOwn(providerOptions, 'include') && !Array.isArray(given)) return null;
  const needed = [STATE, ...hostedTools.flatMap(({ type }) => RESULTS[type] ?? [])];
  const own = needed.filter((name) => supported.includes(name));
  const more: string[] = Array.isArray(given) ? given.filter((name) => !own.includes(name)) : [];
  return [...own, ...more];
}

/** Returns the values that a server still supports after a refusal, or null if the refusal is not about `include`. */
export function learnInclude(said: string, supported: readonly string[]): readonly string[] | null {
  const [blamed = said] = said.split(LIST);
  const refused = supported.filter((name) => blamed.includes(name) || (name === STATE && NO_STATE.test(blamed)));
  if (refused.length > 0) return supported.filter((name) => !refused.includes(name));
  return supported.length > 0 && NO_INCLUDE.test(said) ? [] : null;
}

/** The words before a list of supported values, which OpenAI adds after the refused value. */
const LIST = /\b(supported|valid|allowed|permitted) values\b|\bexpected one of\b/i;

/** OpenAI, of models that do not reason. */
const NO_STATE = /\bencrypted content is not (supported|available|enabled)/i;
const NO_INCLUDE = /(["'`]|: |-> )include\b|\binclude\[/i;
