import type { Pace, SimulatedReply } from './act.ts';

/** One piece of a streamed reply. */
export type Delta =
  | { kind: 'reasoning'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'call'; index: number; id: string; name: string }
  | { kind: 'arguments'; index: number; text: string };

/** Cuts a reply into its streamed pieces: reasoning, text, then the calls one by one, or side by side. */
export function deltasOf(reply: SimulatedReply, { pieceChars, interleave }: Pace): Delta[] {
  const calls = reply.calls.map((call, index): Delta[] => [
    { kind: 'call', index, id: call.id, name: call.name },
    ...slices(call.arguments, pieceChars).map((text): Delta => ({ kind: 'arguments', index, text })),
  ]);
  return [
    ...slices(reply.reasoning, pieceChars).map((text): Delta => ({ kind: 'reasoning', text })),
    ...slices(reply.text ?? '', pieceChars).map((text): Delta => ({ kind: 'text', text })),
    ...(interleave ? sideBySide(calls) : calls.flat()),
  ];
}

/** What is out after `chars` characters of reasoning, text and arguments; the last piece may be cut in two. */
export function takeChars(deltas: Delta[], chars: number): Delta[] {
  const taken: Delta[] = [];
  let left = chars;
  for (const delta of deltas) {
    if (left <= 0) break;
    taken.push('text' in delta ? { ...delta, text: delta.text.slice(0, left) } : delta);
    left -= 'text' in delta ? delta.text.length : 0;
  }
  return taken;
}

function slices(text: string, size: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + size + (splitsPair(text, start + size) ? 1 : 0);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Whether a cut here would part the two halves of one character outside the basic plane; vendors never do. */
function splitsPair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

function sideBySide(calls: Delta[][]): Delta[] {
  const longest = Math.max(0, ...calls.map((call) => call.length));
  return Array.from({ length: longest }, (_, row) => calls.flatMap((call) => call.slice(row, row + 1))).flat();
}
