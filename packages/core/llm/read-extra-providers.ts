import { z } from 'zod';
import { Misconfigured } from '../failure.ts';
import { httpUrl } from './http-url.ts';

type Env = Record<string, string | undefined>;

const WireKind = z.enum(['openai', 'anthropic', 'gemini']);
/** The wires a provider of `PAWL_PROVIDERS` may speak. */
export type WireKind = z.infer<typeof WireKind>;

const Extra = z.record(
  z.string().regex(/^[a-z0-9_-]+$/i, 'use letters, digits, _ and - in the name'),
  z.strictObject({
    kind: WireKind,
    base_url: httpUrl,
    api_key: z.string().min(1).nullish(),
    tools: z.boolean().default(true),
  }),
);
type Extra = z.infer<typeof Extra>;

/** The providers named in `PAWL_PROVIDERS`; a `Misconfigured` names the path of what is wrong, never its value. */
export function readExtraProviders(env: Env, builtIn: readonly string[]): Extra {
  const text = env.PAWL_PROVIDERS?.trim();
  if (!text) return {};
  const { data, error } = Extra.safeParse(parseJson(text));
  if (!data) {
    const [issue] = error.issues;
    throw new Misconfigured(`${['PAWL_PROVIDERS', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`);
  }
  const taken = Object.keys(data).find((name) => builtIn.includes(name));
  if (taken) throw new Misconfigured(`PAWL_PROVIDERS.${taken}: this name is built in, choose another`);
  return data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Misconfigured('PAWL_PROVIDERS: this is no JSON');
  }
}
