import { Misconfigured } from '../failure.ts';
import { httpUrl } from './http-url.ts';

type Env = Record<string, string | undefined>;

/** A base URL from the environment, or what stands for it; trailing slashes do not matter. */
export function readBaseUrl<T>(env: Env, variable: string, absent: T): string | T {
  const text = env[variable]?.trim();
  if (!text) return absent;
  if (!httpUrl.safeParse(text).success) throw new Misconfigured(`${variable}: give an http or https URL`);
  return text;
}
