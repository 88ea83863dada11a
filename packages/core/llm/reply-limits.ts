import { Failure } from '../failure.ts';
import { exceedsJson, JSON_LIMITS } from '../json.ts';

const MIB = 1024 * 1024;

/** What one answer of a provider may make a worker hold. Beyond any of these the attempt fails (docs/security.md). */
export const REPLY_LIMITS = {
  /** Bytes of one answer, unpacked, and of its headers. */
  bytes: 64 * MIB,
  headerBytes: 16 * 1024,
  /** Bytes of one event or line of a stream, or of a reply sent whole. */
  eventBytes: 8 * MIB,
  /** Events, lines of JSON or frames of one answer, also those that say nothing. */
  events: 500_000,
  /** The JSON of one event. */
  ...JSON_LIMITS,
  calls: 1000,
  /** Characters of a tool's name, and of the arguments of one call. */
  nameLength: 256,
  argumentsLength: MIB,
  /** Blocks, parts or details of reasoning. */
  parts: 10_000,
  /** Characters of JSON that the provider wants back with the reply. */
  stateLength: 8 * MIB,
  /** Characters of a text in which tool calls are looked for (`tool_mode` `inline`, `emulated`). */
  markedLength: MIB,
};

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
