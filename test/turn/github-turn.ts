import type { Turn } from '#core/turn/turn.ts';
import { makeRound, makeTurn } from './make-turn.ts';

export const search = { id: 'call_1', name: 'github_search', arguments: '{"query":"language:swift","sort":"stars"}' };
export const star = { id: 'call_2', name: 'github_star', arguments: '{"owner":"apple","repo":"swift"}' };
/** An answer without its content. */
export const found = {
  status: 'success' as const,
  error: null,
  truncated: false,
  cached: false,
  duration_ms: 1,
  attempts: 1,
};

/** The conversation of the seed, for tests of compact storage and expansion. */
export const github: Turn = makeTurn({
  status: 'completed',
  input: [{ role: 'user', content: 'Find the top GitHub repo for Swift and star it' }],
  rounds: [
    makeRound(1, "I'll search for the top Swift repository...", [
      { ...search, result: { ...found, content: '{"stars":65000}' } },
    ]),
    makeRound(2, 'Found it! Now let me star it for you...', [
      { ...star, result: { ...found, content: '{"success":true}' } },
    ]),
    makeRound(3, null),
  ],
  output: "Done! I've starred apple/swift - it has 65,000 stars!",
});
