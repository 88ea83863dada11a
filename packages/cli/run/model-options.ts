import type { TurnRequest } from '../../client/connect-pawl.ts';
import { CommandMisused } from '../parse-arguments.ts';

const TEXT = { type: 'string' } as const;
const TEXTS = { type: 'string', multiple: true } as const;

/** Options of `run` about the requests to the model. */
export const MODEL_OPTIONS = {
  'prompt-cache': TEXT,
  'service-tier': TEXT,
  'tier-fallback': TEXT,
  'provider-header': TEXTS,
  'max-attempts': TEXT,
  'model-timeout-ms': TEXT,
  'model-idle-timeout-ms': TEXT,
};

type Given = {
  [Name in Exclude<keyof typeof MODEL_OPTIONS, 'provider-header'>]?: string | undefined;
};
type Fields = Pick<TurnRequest, 'prompt_cache' | 'service_tier' | 'tier_fallback' | 'provider_headers' | 'model_retry'>;

/** The fields of a turn request that these options set. Throws CommandMisused. */
export function readModelOptions({
  'provider-header': headers,
  ...given
}: Given & { 'provider-header'?: string[] | undefined }): Fields {
  const model_retry = {
    max_attempts: readNumber(given, 'max-attempts'),
    timeout_ms: readNumber(given, 'model-timeout-ms'),
    idle_timeout_ms: readNumber(given, 'model-idle-timeout-ms'),
  };
  const hasRetry = Object.values(model_retry).some((value) => value !== undefined);
  return {
    prompt_cache: readWord(given, 'prompt-cache', CACHES),
    service_tier: readWord(given, 'service-tier', TIERS),
    tier_fallback: readWord(given, 'tier-fallback', ['default']),
    provider_headers: headers && readHeaders(headers),
    model_retry: hasRetry ? model_retry : undefined,
  };
}

const CACHES = ['auto', 'off', '5m', '1h'] as const;

const TIERS = ['auto', 'default', 'flex', 'priority'] as const;

function readWord<const Word extends string>(
  given: Given,
  name: keyof Given,
  words: readonly Word[],
): Word | undefined {
  const text = given[name];
  const known = words.find((word) => word === text);
  if (text === undefined || known) return known;
  throw new CommandMisused(`“${text}” is no value of --${name}. Use ${words.join(', ')}.`);
}

function readHeaders(given: string[]): Record<string, string> {
  const headers = given.map(readHeader);
  const names = headers.map(([name]) => name.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice) throw new CommandMisused(`--provider-header gives ${twice} twice. Give each header once.`);
  return Object.fromEntries(headers);
}

function readHeader(given: string): [string, string] {
  const end = given.indexOf(':');
  if (end < 1) throw new CommandMisused(`--provider-header “${given}” has no name. Write "name: value".`);
  return [given.slice(0, end).trim(), given.slice(end + 1).trim()];
}

function readNumber(given: Given, name: keyof Given): number | undefined {
  const text = given[name];
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new CommandMisused(`“${text}” is not a valid value of --${name}. Give a whole number from 1.`);
}
