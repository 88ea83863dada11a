import type { TokenCount } from './token-count.ts';

/**
 * A cache that takes request bodies in sequence, and refuses each body or counts its tokens. It does not count
 * output.
 */
export type PromptCache<Body> = { take(body: Body): { refusal: string } | { usage: TokenCount } };
