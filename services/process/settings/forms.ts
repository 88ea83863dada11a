import { z } from 'zod';
import { parseJson } from '#core/json.ts';
import { formProblem, hostListProblem } from '#core/postgres/hosts.ts';
import { parseRedisUrls } from '#core/redis-url.ts';

/** The longest time of a timer in Node, in milliseconds. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
export const DAY_MS = 86_400_000;

/** Returns the form of a whole number in decimal digits. Its error names both bounds. */
export function numberForm(fallback: number, min: number, max: number) {
  const error = `give a whole number from ${min} to ${max}`;
  return z
    .string()
    .trim()
    .regex(/^\d{1,10}$/, error)
    .transform(Number)
    .pipe(z.number().min(min, error).max(max, error))
    .default(fallback);
}

/** Days above 0, fractions allowed. */
export const daysForm = z
  .string()
  .trim()
  .regex(/^\d{1,5}(\.\d{1,9})?$/, 'give days as a number above 0, or omit it to keep all turns')
  .transform(Number)
  .pipe(z.number().positive('give days as a number above 0, or omit it to keep all turns'))
  .optional();

/** Returns the form of a choice. The first word is its default. */
export const choiceForm = <Word extends string>(...words: [Word, ...Word[]]) =>
  z.enum(words, `give one of ${words.join(', ')}`).default(words[0]);

/** Names of models that clients have built in, each with the model that replaces it. */
export const aliasesForm = z
  .string()
  .transform(parseJson)
  .pipe(
    z.record(z.string(), z.string().regex(/^[A-Za-z0-9_-]+\/.+$/, 'give the model as provider/model'), {
      error: 'give JSON such as {"gpt-4o-mini":"ollama/qwen3"}, each model as provider/model',
    }),
  )
  .default({});

/** A Redis, Sentinels or the nodes of a cluster, or several such URLs. */
export const redisForm = z.string().superRefine((given, context) => {
  const read = parseRedisUrls(given);
  if (read.kind === 'wrong') context.addIssue(read.advice);
});

/** The URL of the API for its clients, without a slash at its end. */
export const publicUrlForm = z
  .string()
  .trim()
  .refine((given) => {
    const url = URL.parse(given);
    return url !== null && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username;
  }, 'give the public URL of the API, such as https://example.com/pawl')
  .transform((given) => given.replace(/\/+$/, ''))
  .default('');

/** The URL of one PostgreSQL server or of several. */
export const databaseForm = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
  .superRefine(refuseBy(hostListProblem))
  .superRefine(refuseBy(formProblem));

/** Turns a function that returns the problem of a value into a refinement. */
export function refuseBy(problemOf: (url: string) => string | null) {
  return (url: string, issues: z.RefinementCtx) => {
    const problem = problemOf(url);
    if (problem) issues.addIssue({ code: 'custom', message: problem });
  };
}
