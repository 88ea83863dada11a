import { z } from '@hono/zod-openapi';
import { RequestRefused } from '#core/failure.ts';
import { shorten } from '#core/text.ts';

/** The name of a metadata parameter: `metadata[key]`. */
const NAME = /^metadata\[([^[\]]{1,64})\]$/;
const LONGEST_VALUE = 512;

/** `metadata[key]=value`, any number of times. The name alone has no effect: `readMetadata` reads the pairs. */
export const MetadataQuery = z
  .record(z.string(), z.string())
  .optional()
  .openapi({
    param: { style: 'deepObject', explode: true },
    description: 'Only resources with each of these pairs in their metadata: `metadata[customer]=17`.',
    examples: [{ customer: '17' }],
  });

/** Returns whether a parameter belongs to `metadata`, or appears to. */
export function isOfMetadata(name: string): boolean {
  return name === 'metadata' || name.startsWith('metadata[');
}

/** Returns the pairs of a query. Refuses a parameter that is not a valid `metadata[key]`, or that is given twice. */
export function readMetadata(queries: Record<string, string[]>): { metadata?: Record<string, string> } {
  const given = Object.entries(queries).filter(([name]) => isOfMetadata(name));
  const pairs = given.map(([name, values]) => [pairKey(name), pairValue(name, values)] as const);
  return pairs.length > 0 ? { metadata: Object.fromEntries(pairs) } : {};
}

function pairKey(name: string): string {
  const key = NAME.exec(name)?.[1];
  if (key !== undefined) return key;
  const message = 'Write metadata as `metadata[key]=value`, with a key of 1 to 64 characters and no brackets in it.';
  throw new RequestRefused(400, 'invalid_value', message, shorten(name));
}

function pairValue(name: string, [value = '', ...more]: string[]): string {
  if (more.length === 0 && value.length <= LONGEST_VALUE) return value;
  const message =
    more.length > 0
      ? `\`${shorten(name)}\` is given twice, but a key has only one value. Give it once.`
      : `\`${shorten(name)}\` is not valid: give at most ${LONGEST_VALUE} characters.`;
  throw new RequestRefused(400, 'invalid_value', message, shorten(name));
}
