import type { TokenCount } from './token-count.ts';

/** Takes one request body after another, and refuses it or counts its tokens. The output is counted elsewhere. */
export type PromptCache<Body> = { take(body: Body): { refusal: string } | { usage: TokenCount } };
