import type { Part } from '../request/item.ts';
import type { presentResult, TurnResource } from './turn.ts';

type Result = ReturnType<typeof presentResult>;

/** A turn whose results have only the first `bytes` of their texts, in UTF-8 and never half a character. */
export function cutResults(turn: TurnResource, bytes: number): TurnResource {
  const cut = (result: Result) => cutResult(result, bytes);
  const { adopted_calls: adopted } = turn;
  return {
    ...turn,
    ...(adopted && { adopted_calls: { ...adopted, results: adopted.results.map(cut) } }),
    rounds: turn.rounds.map((round) => ({ ...round, results: round.results.map(cut) })),
  };
}

function cutResult(result: Result, bytes: number): Result {
  const { content } = result;
  if (content === null || sizeOf(content) <= bytes) return result;
  return {
    ...result,
    content: typeof content === 'string' ? cutText(content, bytes) : cutParts(content, bytes),
    truncated: true,
  };
}

function sizeOf(content: string | Part[]): number {
  if (typeof content === 'string') return Buffer.byteLength(content);
  return content.reduce((sum, part) => sum + (part.type === 'input_text' ? Buffer.byteLength(part.text) : 0), 0);
}

/** The texts together have so many bytes; images, files and audio stay: they are addresses. */
function cutParts(parts: Part[], bytes: number): Part[] {
  let left = bytes;
  return parts.flatMap((part): Part[] => {
    if (part.type !== 'input_text') return [part];
    const text = cutText(part.text, left);
    left -= Buffer.byteLength(part.text);
    return text === '' ? [] : [{ ...part, text }];
  });
}

function cutText(text: string, bytes: number): string {
  if (bytes <= 0) return '';
  const whole = Buffer.from(text);
  let end = Math.min(bytes, whole.length);
  while (end < whole.length && isInside(whole[end])) end -= 1;
  return whole.toString('utf8', 0, end);
}

/** Whether a byte goes on with a character. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
