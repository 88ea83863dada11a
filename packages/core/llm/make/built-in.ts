import type { Quirks } from '../openai/render-request.ts';
import type { Provider } from '../provider.ts';
import { type TwoWires, twoWiresAt } from '../wires.ts';
import type { Makers, Options } from './makers.ts';
import { readBaseUrl, readSwitch, readWire } from './provider-config.ts';

type Env = Record<string, string | undefined>;

/** A provider, with its Responses provider if it has two wires. */
export type Configured = { provider: Provider; two?: { responses: Provider; wires: TwoWires } };

/**
 * A built-in provider: its name, its default base URL, the variables for its key and its base URL, and whether it has
 * a batch API.
 */
type BuiltIn = { name: string; url: string; keyName: string; urlName: string; hasBatches: boolean };

const OPENAI = { name: 'openai', url: 'https://api.openai.com/v1', hasBatches: true };
const ANTHROPIC = { name: 'anthropic', url: 'https://api.anthropic.com', hasBatches: true };
const GEMINI = { name: 'gemini', url: 'https://generativelanguage.googleapis.com', hasBatches: true };
const XAI = { name: 'xai', url: 'https://api.x.ai/v1', hasBatches: false };

export function builtIn(env: Env, makers: Makers): Configured[] {
  const keyed = ({ url, ...named }: BuiltIn, make: (options: Options) => Configured): Configured[] => {
    const baseUrl = readBaseUrl(env, named.urlName, url);
    const apiKey = env[named.keyName]?.trim();
    return apiKey ? [make({ ...named, apiKey, baseUrl })] : [];
  };
  const openai = overTwoWires('openai', 'OPENAI_WIRE', { env, makers });
  const xai = overTwoWires('xai', 'XAI_WIRE', { env, makers });
  const ollama = readBaseUrl(env, 'OLLAMA_BASE_URL', null);
  const ofOllama = { name: 'ollama', apiKey: null, urlName: 'OLLAMA_BASE_URL', hasBatches: false };
  return [
    ...keyed({ ...OPENAI, keyName: 'OPENAI_API_KEY', urlName: 'OPENAI_BASE_URL' }, (own) =>
      openai(own, { maxTokensField: 'max_completion_tokens' }),
    ),
    ...keyed({ ...ANTHROPIC, keyName: 'ANTHROPIC_API_KEY', urlName: 'ANTHROPIC_BASE_URL' }, (own) => {
      return { provider: makers.anthropic({ ...own, promptCache: true }) };
    }),
    ...keyed({ ...GEMINI, keyName: 'GEMINI_API_KEY', urlName: 'GEMINI_BASE_URL' }, (own) => {
      return { provider: makers.gemini(own) };
    }),
    ...keyed({ ...XAI, keyName: 'XAI_API_KEY', urlName: 'XAI_BASE_URL' }, (own) => xai(own)),
    ...(ollama ? [{ provider: makers.openai({ ...ofOllama, baseUrl: ollama }) }] : []),
  ];
}

/** Returns a function that makes a provider for Chat Completions, and for Responses in turns that chose it. */
function overTwoWires(name: 'openai' | 'xai', variable: string, { env, makers }: { env: Env; makers: Makers }) {
  const setting = readWire(env, variable);
  const isBackground = name === 'openai' && readSwitch(env, 'OPENAI_BACKGROUND');
  const background = isBackground ? { models: ['*'], isStored: true } : undefined;
  return (options: Options, quirks: Partial<Quirks> = {}): Configured => {
    const chatSetting = `${variable}=chat`;
    const responses = makers.responses({ ...options, promptCache: true, chatSetting, background });
    const wires = twoWiresAt(name, { baseUrl: options.baseUrl, setting });
    return { provider: makers.openai({ ...options, ...quirks, cacheKey: true }), two: { responses, wires } };
  };
}
