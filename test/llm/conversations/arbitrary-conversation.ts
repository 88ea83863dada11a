import fc from 'fast-check';
import { assignCallIds } from '#core/turn/call.ts';
import { outcomeOf } from '#core/turn/outcome.ts';
import { needsRepair } from '#core/turn/output/output-schema.ts';
import type { Reply } from '#core/turn/reply.ts';
import { plainContent } from '#core/turn/request/item.ts';
import { Tool } from '#core/turn/request/tool.ts';
import type { ToolResult } from '#core/turn/tool-result.ts';
import type { Turn } from '#core/turn/turn.ts';
import { makeRound, makeTurn } from '#test/turn/make-turn.ts';
import { someExchange, someItem, someParts } from './arbitrary-input.ts';
import { type Speaker, someReply, speakers } from './arbitrary-reply.ts';
import { givenText, someText } from './arbitrary-text.ts';

const parameters = { type: 'object', properties: { city: { type: 'string' } }, anyOf: [{ required: ['city'] }] };
const tools = [
  Tool.parse({ name: 'get_weather', description: 'Tells the weather', parameters }),
  Tool.parse({ name: 'send_mail' }),
];

const placeOf = (mode: 'native' | 'instructions') => ({ name: 'place', schema: parameters, strict: null, mode });

const result: fc.Arbitrary<ToolResult | null> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.oneof(fc.constant(null), givenText).map((content) => ({ ...ANSWERED, content })) },
  { weight: 1, arbitrary: someParts.map((parts) => ({ ...ANSWERED, content: plainContent(parts), parts })) },
  {
    weight: 2,
    arbitrary: fc
      .record({
        category: fc.constantFrom('cancelled', 'outcome_unknown', 'invalid_arguments', 'execution_timeout'),
        message: fc.constantFrom('', 'It broke.'),
        details: fc.constantFrom({}, { tried: 2 }),
      })
      .map((error) => ({ ...ANSWERED, status: 'error' as const, error })),
  },
);

const ANSWERED: ToolResult = {
  status: 'success',
  content: null,
  error: null,
  truncated: false,
  cached: false,
  duration_ms: 1,
  attempts: 1,
};

const HANDED_OVER: ToolResult = { ...ANSWERED, status: 'handed_over' };

const replied = (speaker: Speaker) =>
  fc.record({
    model: fc.constant(`${speaker}/some-model`),
    reply: someReply(speaker),
    handsOver: fc.nat({ max: 4 }).map((n) => n === 0),
    hasInvalidOutput: fc.nat({ max: 4 }).map((n) => n > 0),
    results: fc.array(result, { minLength: 6, maxLength: 6 }),
  });

/** Replies of a fallback model, after a turn changed to it. */
const fallback = fc.constantFrom(...speakers).chain((speaker) => fc.array(replied(speaker), { maxLength: 2 }));

const turn: fc.Arbitrary<Turn> = fc.constantFrom(...speakers).chain((speaker) =>
  fc
    .record({
      input: fc
        .array(
          fc.oneof({ weight: 5, arbitrary: someItem.map((item) => [item]) }, { weight: 1, arbitrary: someExchange }),
          {
            minLength: 1,
            maxLength: 4,
          },
        )
        .map((items) => items.flat()),
      rounds: fc
        .tuple(fc.array(replied(speaker), { maxLength: 4 }), fc.oneof(fc.constant([]), fallback))
        .map((rounds) => rounds.flat()),
      isLast: fc.boolean(),
      config: fc.record({
        model: fc.constant(`${speaker}/some-model`),
        instructions: fc.oneof(fc.constant(null), someText),
        tools: fc.constantFrom([], tools, tools),
        tool_choice: fc.constantFrom('auto', 'none', 'required', { type: 'specific', name: 'get_weather' }),
        tool_mode: fc.constantFrom('native', 'native', 'emulated', 'inline'),
        parallel_tool_calls: fc.constantFrom(null, false, true),
        output_schema: fc.constantFrom(undefined, placeOf('native'), placeOf('instructions')),
      }),
    })
    .map(({ input, rounds, isLast, config }) => {
      const choice = config.tools.length > 0 ? config.tool_choice : 'auto';
      const asked = makeTurn({ input });
      const own = { ...asked, config: { ...asked.config, ...config, tool_choice: choice } } as Turn;
      return rounds.reduce<Turn>((so, round, index) => lived(so, round, isLast && index === rounds.length - 1), own);
    }),
);

/** A conversation with turns of any provider and any tool mode, ended in any way or still running. */
export const someConversation: fc.Arbitrary<Turn[]> = fc.array(turn, { minLength: 1, maxLength: 4 });

type Replied = {
  model: string;
  reply: Reply | null;
  handsOver: boolean;
  hasInvalidOutput: boolean;
  results: (ToolResult | null)[];
};

const VIOLATIONS = [{ path: '/city', message: 'is required' }];

/** Returns the turn after one more reply. An ended turn and a failed attempt stay unchanged. */
function lived(turn: Turn, { model, reply, handsOver, hasInvalidOutput, results }: Replied, isFinal: boolean): Turn {
  if (turn.output !== null || !reply) return turn;
  const outcome = outcomeOf(reply, isFinal ? 'max_rounds' : null, needsRepair(turn));
  const number = turn.rounds.length + 1;
  if (outcome.kind === 'completed' && hasInvalidOutput && turn.config.output_schema) {
    const round = { ...makeRound(number, reply.text), model, opaque: reply.opaque, violations: VIOLATIONS };
    const asked = { ...turn, rounds: [...turn.rounds, round] };
    // A turn fails after its repair. Some such turns are retried and continue.
    return needsRepair(turn) && !handsOver ? { ...asked, status: 'failed', output: outcome.output } : asked;
  }
  if (outcome.kind !== 'calls') {
    const last = { ...makeRound(number, null), model, opaque: reply.opaque };
    return { ...turn, rounds: [...turn.rounds, last], output: outcome.output };
  }
  const calls = assignCallIds(reply.calls, turn).map((call, index) => ({
    ...call,
    // Calls that were not handed over have ended by then.
    result: handsOver ? (index % 2 === 0 ? HANDED_OVER : (results[index] ?? ANSWERED)) : (results[index] ?? null),
  }));
  const rounds = [...turn.rounds, { ...makeRound(number, reply.text, calls), model, opaque: reply.opaque }];
  return handsOver ? { ...turn, rounds, output: reply.text ?? '' } : { ...turn, rounds };
}
