import { SHOWN_BOUNDS } from '../../bounds/shown-bounds.ts';
import type { Part } from '../request/item.ts';

type Result = { content: string | Part[] | null; truncated: boolean };

type WithResults = { adopted_calls?: { results: Result[] }; rounds: { results: Result[] }[] };

/** Cuts the text of each result to its first `bytes` in UTF-8, at the end of a character. */
export function cutResults<Shown extends WithResults>(shown: Shown, bytes: number): Shown {
  const cut = (result: Result) => cutResult(result, bytes);
  const { adopted_calls: adopted } = shown;
  return {
    ...shown,
    ...(adopted && { adopted_calls: { ...adopted, results: adopted.results.map(cut) } }),
    rounds: shown.rounds.map((round) => ({ ...round, results: round.results.map(cut) })),
  };
}

/** Cuts the longest results to one length, so that all results together fit the bound of an answer. */
export function fitResults<Shown extends WithResults>(shown: Shown): Shown {
  const results = [...(shown.adopted_calls?.results ?? []), ...shown.rounds.flatMap((round) => round.results)];
  const sizes = results.flatMap(({ content }) => (content === null ? [] : [sizeOf(content)]));
  const sum = sizes.reduce((total, size) => total + size, 0);
  return sum <= SHOWN_BOUNDS.resultBytes ? shown : cutResults(shown, largestThatFits(sizes));
}

/** Returns the bytes for each result. Shorter results leave their unused share to longer results. */
function largestThatFits(sizes: number[]): number {
  let left = SHOWN_BOUNDS.resultBytes;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) return share;
    left -= size;
  }
  return left;
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

/** Cuts texts to `bytes` together. Images, files and audio stay, since they are addresses. */
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

function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
