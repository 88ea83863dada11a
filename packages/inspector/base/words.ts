import type { ListedTurn } from './turn.ts';

/** Returns the first words of a turn's last user message in one line, or a short name for an input without words. */
export function titleOf({ input }: Pick<ListedTurn, 'input'>): string {
  const content = (input.findLast(({ role }) => role === 'user') ?? input.at(-1))?.content ?? '';
  const parts = typeof content === 'string' ? [{ type: 'input_text' as const, text: content }] : content;
  const text = parts.map((part) => (part.type === 'input_text' ? part.text : '')).join('\n');
  if (text.trim() === '') return parts.map(({ type }) => `[${type.replace('input_', '')}]`).join(' ');
  const title = codeName(text.trim()) ?? firstWords(text) ?? 'Code';
  return title.length > 160 ? `${title.slice(0, 159)}…` : title;
}

/** Returns a name for a script, or for JSON with its first fields. Returns null for any other text. */
function codeName(text: string): string | null {
  if (text.startsWith('#!')) return 'Script';
  if (!/^[{[]/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? 'JSON list' : `JSON: ${Object.keys(Object(value)).slice(0, 4).join(', ')}`;
  } catch {
    return null;
  }
}

/** Returns the first line of a text outside of code blocks. */
function firstWords(text: string): string | undefined {
  const lines = text.replace(/^```[\s\S]*?(?:^```|$(?!\n))/gm, '').split('\n');
  return lines.map((line) => line.trim()).find((line) => line !== '');
}

/** Returns the number of rounds of a turn, in words: `round 3`. */
export function roundsOf({ round }: Pick<ListedTurn, 'round'>) {
  return round === 0 ? 'not started' : countOf(round, 'round');
}

/** Formats a number of things: `1 round`, `3 rounds`. */
export function countOf(count: number, noun: string) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function inOneLine(texts: (string | number | false | null | undefined)[]) {
  return texts.filter(Boolean).join(' · ');
}

/** Formats a count as everywhere on the page: `12,345`. */
export function formatCount(number: number) {
  return number.toLocaleString('en');
}

/** Formats the counts of names: `look_up, web_search × 3`. Empty without counts. */
export function formatCounts(counts: Record<string, number> = {}): string {
  return Object.entries(counts)
    .map(([name, count]) => (count === 1 ? name : `${name} × ${formatCount(count)}`))
    .join(', ');
}

/** Formats a count for little space: `12.3K`. */
export function formatShort(number: number) {
  return number < 10_000
    ? formatCount(number)
    : number.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });
}

type Tokens<Kind extends string> = Record<Kind, number>;

/** Formats tokens as everywhere on the page: `1,234 in, 56 out`. */
export function formatTokens({ input_tokens: taken, output_tokens: given }: Tokens<'input_tokens' | 'output_tokens'>) {
  return `${formatCount(taken)} in, ${formatCount(given)} out`;
}

/** Formats the number of input tokens from a cache, and their share of the input. */
export function formatShare(usage: Tokens<'input_tokens' | 'cached_input_tokens'>) {
  const { input_tokens: taken, cached_input_tokens: cached } = usage;
  const share = taken > 0 ? cached / taken : 0;
  return `${formatCount(cached)} (${share.toLocaleString('en', { style: 'percent' })})`;
}

/** Formats US dollars as everywhere on the page: two significant digits, or cents. */
export function formatUsd(usd: number) {
  const digits = usd < 0.1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 };
  return usd.toLocaleString('en', { style: 'currency', currency: 'USD', ...digits });
}

/** Returns the code and the message of a failed or incomplete turn. Returns null for any other turn. */
export function troubleOf({
  error,
  incomplete_details: incomplete,
}: Pick<ListedTurn, 'error' | 'incomplete_details'>): { code: string; message: string } | null {
  return error ?? (incomplete && { code: incomplete.reason, message: '' });
}

/** The statuses of a turn in words, in the order of its life. */
export const STATUS_WORDS = {
  queued: 'Queued',
  in_progress: 'In progress',
  requires_action: 'Requires action',
  completed: 'Completed',
  incomplete: 'Incomplete',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** Returns a status in words. An unknown status only loses its underscores. */
export function wordsOf(status: string) {
  return Object.entries(STATUS_WORDS).find(([known]) => known === status)?.[1] ?? status.replaceAll('_', ' ');
}
