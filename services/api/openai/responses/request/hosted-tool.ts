import type { Provider } from '#core/llm/provider.ts';
import type { HostedTool, HostedType } from '#core/turn/hosted/hosted-tool.ts';

type Asked = Pick<Provider, 'capabilities'>;

/** The tools of OpenAI's API that a provider runs, without the versions of a web search. */
const TYPES: Record<string, HostedType> = {
  web_search: 'web_search',
  web_search_preview: 'web_search',
  code_interpreter: 'code_execution',
  file_search: 'file_search',
  image_generation: 'image_generation',
};

/** Returns the kind of hosted tool that a type of OpenAI's API names, or undefined for any other type. */
export function hostedTypeOf(type: string): HostedType | undefined {
  const name = type.replace(/^(web_search(?:_preview)?)_\d{4}_\d{2}_\d{2}$/, '$1');
  return Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
}

/** Returns whether the wire of a provider has a kind of hosted tool. */
export function hasHostedTool({ capabilities }: Asked, type: HostedType): boolean {
  return capabilities.hosted_tools.includes(type);
}

/**
 * Returns a tool of OpenAI's API as a hosted tool. Its other fields are options of the provider's wire. A null means
 * the default, and so does an automatic container, which only OpenAI's wire has.
 */
export function readHostedTool(given: Record<string, unknown>, type: HostedType, { capabilities }: Asked): HostedTool {
  const isDefault = (name: string, value: unknown) =>
    value === null ||
    (name === 'container' && capabilities.wire !== 'openai-responses' && JSON.stringify(value) === AUTOMATIC);
  const fields = Object.entries(given).filter(([name, value]) => name !== 'type' && !isDefault(name, value));
  // The body is JSON, so its values are.
  return fields.length === 0 ? { type } : { type, options: Object.fromEntries(fields) as HostedTool['options'] };
}

const AUTOMATIC = JSON.stringify({ type: 'auto' });
