import { Failure } from '../failure.ts';
import { exceedsJson } from '../json.ts';

const MIB = 1024 * 1024;

/** An answer that is not read to its end: it exceeds a limit, or leads elsewhere. Its message names which. */
export class UnusableReply extends Failure {
  constructor(reason: string) {
    super('provider_bad_response', reason);
  }
}

/** An answer of a kind that no provider sends. Its message names the kind. */
export class ForeignReply extends UnusableReply {}

/** Fails as `UnusableReply` where there is more of something than its limit: `more than 1,000 tool calls`. */
export function boundReply(much: number, limit: number, what: string): void {
  if (much > limit) throw new UnusableReply(`more than ${written(limit)} ${what}`);
}

/** Fails the same way for the depth and the number of values of a JSON text, without parsing it. */
export function boundJson(text: string, where: string): void {
  const excess = exceedsJson(text);
  if (excess) throw new UnusableReply(`${excess} in ${where}`);
}

function written(limit: number): string {
  return limit % MIB === 0 ? `${limit / MIB} MiB` : limit.toLocaleString('en');
}
