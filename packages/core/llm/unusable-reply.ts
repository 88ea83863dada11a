import { Failure } from '../failure.ts';
import { exceedsJson } from '../json.ts';

const MIB = 1024 * 1024;

/** An answer that is not read to its end, because it exceeds a limit or redirects. The message has the reason. */
export class UnusableReply extends Failure {
  constructor(reason: string) {
    super('provider_bad_response', reason);
  }
}

/** An answer of a kind that no provider sends. The message names the kind. */
export class ForeignReply extends UnusableReply {}

/** Throws an `UnusableReply` if an amount exceeds its limit: `more than 1,000 tool calls`. */
export function boundReply(much: number, limit: number, what: string): void {
  if (much > limit) throw new UnusableReply(`more than ${written(limit)} ${what}`);
}

/** Throws an `UnusableReply` if a JSON text has too many levels or values, without parsing the text. */
export function boundJson(text: string, where: string): void {
  const excess = exceedsJson(text);
  if (excess) throw new UnusableReply(`${excess} in ${where}`);
}

function written(limit: number): string {
  return limit % MIB === 0 ? `${limit / MIB} MiB` : limit.toLocaleString('en');
}
