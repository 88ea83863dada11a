import { createHash } from 'node:crypto';
import { countTokens } from './token-count.ts';

/** One block of a request. `salt` is part of the prefix's identity, but has no tokens. */
export type PrefixBlock = { text: string; salt?: string };

/** The prefix up to the end of one block. Equal prefixes have equal hashes. */
export type PrefixCut = { hash: string; tokens: number };

/** The size below which a provider caches no prefix. */
export const MINIMUM_PREFIX = 1_024;

/** Cuts a request at the end of each block. `root` contains all values that separate caches, such as the model. */
export function cutPrefix(root: string, blocks: readonly PrefixBlock[]): PrefixCut[] {
  let hash = digest(root);
  let characters = 0;
  return blocks.map(({ text, salt = '' }) => {
    hash = digest(`${hash}\n${salt}\n${text}`);
    characters += text.length;
    return { hash, tokens: countTokens(characters) };
  });
}

/** Returns the length of the longest prefix that a text shares with one of the earlier texts. */
export function sharedLength(text: string, earlier: readonly string[]): number {
  return Math.max(0, ...earlier.map((other) => commonPrefix(text, other)));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function commonPrefix(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length += 1;
  return length;
}
