import { MEDIA, type Said } from './wire-reader.ts';

/**
 * Returns whether two requests have the same history. These differences are accepted:
 * - White space. Some clients format JSON differently, or trim the text of the model.
 * - Text from a client beside the results, also to show a file. Pawl adds no such text.
 * - Text beside calls that the client omitted, or replaced by its reasoning. Pawl sends the text of the model.
 * - The results of calls that break the rules of their tool. Pawl writes these results itself.
 */
export function isAlike(ours: Said[], theirs: Said[]): boolean {
  const own = ours.filter(isHistory);
  const other = theirs.filter(isHistory);
  return own.length === other.length && own.every((said, index) => isSame(said, other[index]!));
}

/**
 * Returns whether a message is part of the history. Text between results and the next model message is from the
 * client.
 */
function isHistory(said: Said, index: number, all: Said[]): boolean {
  if (said.role === 'tool' || (said.role === 'assistant' && said.calls > 0)) return true;
  const before = all.slice(0, index).findLast(({ role }) => role !== 'user' && role !== 'system');
  const isShown = said.text.startsWith(MEDIA) || (said.role === 'assistant' && all[index + 1]?.text === MEDIA);
  return before?.role === 'tool' ? said.role === 'assistant' && !isShown : !isShown;
}

function isSame(ours: Said, theirs: Said): boolean {
  if (ours.role !== theirs.role) return false;
  if (ours.role === 'tool')
    return ours.text.startsWith('Tool execution failed') || bare(ours.text) === bare(theirs.text);
  if (ours.role !== 'assistant' || theirs.role !== 'assistant') return bare(ours.text) === bare(theirs.text);
  const isOwn = ours.calls > 0 && /^(<think>|\[empty|$)/.test(bare(theirs.text));
  return ours.calls === theirs.calls && (isOwn || bare(ours.text) === bare(theirs.text));
}

function bare(text: string): string {
  const words = text.replace(/\s+/g, '');
  return words === '(nooutput)' ? '' : words;
}
