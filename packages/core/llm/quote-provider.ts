import { cleanText } from '../text.ts';

const LONGEST = 500;

const SECRETS = [
  /\bBearer\s+[^\s"',]+/gi,
  /\b(?:sk|xai|gsk|csk|pplx|hf|nvapi|r8|fw|key)[-_][^\s"',.)]+/g,
  /\bAIza[\w-]{10,}/g,
  /(?<=[?&](?:key|api[-_]?key|token|access_token)=)[^&\s"']+/gi,
];

/** A provider's own words, fit to be shown and stored: one line, at most 500 characters, no key in it. */
export function quoteProvider(text: string, apiKey: string | null = null): string {
  const known = apiKey && apiKey.length >= 4 ? text.replaceAll(apiKey, '[redacted]') : text;
  const clean = SECRETS.reduce((rest, secret) => rest.replace(secret, '[redacted]'), known);
  const line = cleanText(clean.replace(/\s+/g, ' ').trim());
  return line.length > LONGEST ? `${cleanText(line.slice(0, LONGEST - 1))}…` : line;
}
