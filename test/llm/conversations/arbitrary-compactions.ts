import fc from 'fast-check';
import type { Compaction } from '#core/turn/compaction/compaction.ts';
import type { HistoryTurn } from '#core/turn/compaction/sent-history.ts';
import type { Turn } from '#core/turn/turn.ts';
import { someConversation } from './arbitrary-conversation.ts';
import { givenText } from './arbitrary-text.ts';

const place = fc.record({ owner: fc.nat(), round: fc.nat(), upTo: fc.nat(), upToRound: fc.nat() });
const made = fc.record({
  place,
  strategy: fc.constantFrom('summarize' as const, 'summarize' as const, 'drop_tool_results' as const),
  summary: fc.oneof({ weight: 5, arbitrary: givenText }, { weight: 1, arbitrary: fc.constant(null) }),
  leftOut: fc.constantFrom(0, 0, 0, 1),
});

const context = fc.record({
  strategy: fc.constantFrom('summarize' as const, 'drop_tool_results' as const),
  max_input_tokens: fc.constant(null),
  keep_last_rounds: fc.integer({ min: 1, max: 3 }),
  model: fc.constant(null),
});

/** A conversation with compactions before any rounds of its turns. */
export const someCompactedConversation: fc.Arbitrary<HistoryTurn[]> = fc
  .record({
    turns: someConversation,
    all: fc.array(made, { maxLength: 4 }),
    context: fc.option(context, { nil: undefined }),
  })
  .map(({ turns, all, context }) => {
    const named = turns.map((turn, index) => ({ ...turn, id: `turn_${index}`, position: index + 1, leftOut: 0 }));
    const compacted = all.reduce<HistoryTurn[]>(compactAt, named);
    return context ? compacted.map((turn) => ({ ...turn, config: { ...turn.config, context } })) : compacted;
  });

type Made = { place: { owner: number; round: number; upTo: number; upToRound: number } } & Pick<
  Compaction,
  'strategy' | 'summary' | 'leftOut'
>;

function compactAt(turns: HistoryTurn[], { place, ...how }: Made): HistoryTurn[] {
  const index = place.owner % turns.length;
  const target = place.upTo % (index + 1);
  const [owner, upTo] = [turns[index] as Turn, turns[target] as Turn];
  const round = 1 + (place.round % (owner.rounds.length + 1));
  const most = target === index ? round - 1 : upTo.rounds.length;
  if (most === 0) return turns;
  const counts = { beforeTokens: 9_000, afterTokens: 900, model: null, usage: null, requests: 1 };
  const at = { round, upToTurn: upTo.id, upToRound: 1 + (place.upToRound % most), createdAt: owner.createdAt };
  const others = owner.compactions.filter((other) => other.round !== round);
  const compactions = [...others, { ...how, ...counts, ...at }].sort((a, b) => a.round - b.round);
  return turns.map((turn, each) => (each === index ? { ...turn, compactions } : turn));
}
