import { expect } from 'vitest';
import { ProviderFailed } from '#core/failure.ts';
import { chooseDialect } from '#core/llm/dialects/choose-dialect.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { roundRequest } from '#core/llm/round-request.ts';
import { planCompaction } from '#core/turn/compaction/plan-compaction.ts';
import { type HistoryTurn, sentHistory } from '#core/turn/compaction/sent-history.ts';
import { summaryPrompt } from '#core/turn/compaction/summary-prompt.ts';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import type { Turn } from '#core/turn/turn.ts';

/**
 * Returns every request of these turns, in the tool mode of each turn. Each round is also requested as a final round.
 */
export async function requestsOf(conversation: HistoryTurn[]): Promise<RoundRequest[]> {
  const stages = conversation.flatMap((turn, index) =>
    stagesOf(turn).map((stage) => [conversation.slice(0, index), stage]),
  );
  const asked = stages.map(([earlier, stage]) => requestsAt(earlier as HistoryTurn[], stage as HistoryTurn));
  return (await Promise.all(asked)).flat();
}

/** Returns the states of a turn before each of its rounds. */
function stagesOf(turn: HistoryTurn): HistoryTurn[] {
  const withCalls = turn.rounds.filter(({ calls }) => calls.length > 0);
  return [...Array(withCalls.length + 1).keys()].map((done) => ({
    ...turn,
    rounds: withCalls.slice(0, done),
    compactions: turn.compactions.filter(({ round }) => round <= done + 1),
    output: null,
  }));
}

/** Returns the requests for a turn, and again with a compacted history if a compaction is possible. */
async function requestsAt(earlier: HistoryTurn[], turn: HistoryTurn): Promise<RoundRequest[]> {
  const leaving: RoundRequest[] = [];
  const asks = [turn, compacted(earlier, turn)].flatMap((asked) => (asked ? [asked] : []));
  for (const asked of asks) {
    const messages = transcriptOf(sentHistory([...earlier, asked]));
    for (const final of [null, 'max_rounds'] as const) {
      const step = { kind: 'run-round', round: turn.rounds.length + 1, final } as const;
      await noteRequests(asked, roundRequest(asked, step, messages), leaving);
    }
  }
  return leaving;
}

/** Returns the turn with its planned compaction and a summary. */
function compacted(earlier: HistoryTurn[], turn: HistoryTurn): HistoryTurn | null {
  const plan = planCompaction([...earlier, turn], 'refused');
  if (!plan) return null;
  const { replaced, ...place } = plan;
  const made = { ...place, summary: 'They spoke.', afterTokens: 1, model: null, usage: null, requests: 1 };
  expect(summaryPrompt(replaced, null)).toContain('<conversation>');
  return { ...turn, compactions: [...turn.compactions, { ...made, createdAt: turn.createdAt }] };
}

type Moded = { config: Pick<Turn['config'], 'tool_mode'> };

/** Asks in the tool mode of the turn, and adds the requests to `leaving`. The model never calls a tool. */
export async function noteRequests({ config }: Moded, request: RoundRequest, leaving: RoundRequest[]): Promise<void> {
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
    const dialect = chooseDialect(config.tool_mode, {
      name: 'noting',
      ask: (asked) => noting.ask(asked) as never,
    });
    await dialect.ask(request, new AbortController().signal, () => undefined);
  } catch (failure) {
    // The model called no tool although a call was required.
    if (!(failure instanceof ProviderFailed)) throw failure;
  }
}
