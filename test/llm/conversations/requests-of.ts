import { ProviderFailed } from '#core/failure.ts';
import { chooseDialect } from '#core/llm/dialects/choose-dialect.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import type { Turn } from '#core/turn/turn.ts';
import { roundRequest } from '#services/worker/round/run-round.ts';

/** Every request that leaves while these turns are worked, in each turn's own mode; each round also as a final one. */
export async function requestsOf(conversation: Turn[]): Promise<RoundRequest[]> {
  const stages = conversation.flatMap((turn, index) =>
    stagesOf(turn).map((stage) => [conversation.slice(0, index), stage]),
  );
  const asked = stages.map(([earlier, stage]) => requestsAt(earlier as Turn[], stage as Turn));
  return (await Promise.all(asked)).flat();
}

/** A turn as it was before each of its rounds. */
function stagesOf(turn: Turn): Turn[] {
  const withCalls = turn.rounds.filter(({ calls }) => calls.length > 0);
  return [...Array(withCalls.length + 1).keys()].map((done) => ({
    ...turn,
    rounds: withCalls.slice(0, done),
    output: null,
  }));
}

async function requestsAt(earlier: Turn[], turn: Turn): Promise<RoundRequest[]> {
  const messages = transcriptOf([...earlier, turn]);
  const leaving: RoundRequest[] = [];
  for (const final of [null, 'max_rounds'] as const) {
    const step = { kind: 'run-round', round: turn.rounds.length + 1, final } as const;
    await ask(turn, roundRequest(turn, step, messages), leaving);
  }
  return leaving;
}

/** A provider that notes what it is asked and never calls a tool. */
async function ask(turn: Turn, request: RoundRequest, leaving: RoundRequest[]): Promise<void> {
  const noting = {
    ask: async (request: RoundRequest) => {
      leaving.push(request);
      return {
        text: '{"tools":[]}',
        calls: [],
        finishReason: 'stop',
        finishReasonRaw: null,
        usage: null,
        opaque: null,
      };
    },
  } as const;
  try {
    const dialect = chooseDialect(turn.config.tool_mode, {
      name: 'noting',
      ask: (asked) => noting.ask(asked) as never,
    });
    await dialect.ask(request, new AbortController().signal, () => undefined);
  } catch (failure) {
    // No tool was called where one had to be.
    if (!(failure instanceof ProviderFailed)) throw failure;
  }
}
