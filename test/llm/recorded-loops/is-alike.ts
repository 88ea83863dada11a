import { MEDIA, type Said } from './wire-reader.ts';

/**
 * Whether two requests tell the same history. These differences are accepted, each for its reason:
 * - white space: some clients lay out JSON anew, or trim what the model said;
 * - what a client said to the model itself beside the results, or to show it a file: Pawl says nothing of its own;
 * - text beside calls that the client left out, or put its reasoning into: we send what the model wrote;
 * - the results of calls that break their tool's rules: Pawl answers them in its own words.
 */
export function isAlike(ours: Said[], theirs: Said[]): boolean {
  const own = ours.filter(isHistory);
  const other = theirs.filter(isHistory);
  return own.length === other.length && own.every((said, index) => isSame(said, other[index]!));
}

/** The words behind results, before the model speaks again, are the client's own. */
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
