import type { RoundRequest } from '#core/llm/provider.ts';
import { roundRequest } from '#core/llm/round-request.ts';
import { type HistoryTurn, sentHistory } from '#core/turn/compaction/sent-history.ts';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import type { Message } from '#core/turn/message.ts';
import { needsRepair } from '#core/turn/output/output-schema.ts';
import { noteRequests } from '#test/llm/conversations/requests-of.ts';

/** The requests of two consecutive rounds. */
export type RequestPair = {
  before: RoundRequest;
  after: RoundRequest;
  kind: 'plain' | 'final' | 'repair';
  isForced: boolean;
  /** The role of the last message in the first request's history, or null if the history has no text. */
  lastRole: string | null;
};

/** The requested model, and the tool mode of all turns. */
type Asked = { model: string; mode: HistoryTurn['config']['tool_mode'] };

/**
 * Returns the pairs of requests to this model in a conversation. Each second round is also requested as a final
 * round.
 */
export async function requestPairs(conversation: readonly object[], { model, mode }: Asked): Promise<RequestPair[]> {
  const turns = conversation.map((turn, index) => placed(turn as HistoryTurn, index, mode));
  const rounds = turns.flatMap((turn, index) =>
    turn.rounds.map((_, at) => ({ turn, at, earlier: turns.slice(0, index) })),
  );
  const asked = rounds.filter(({ turn, at }) => continuesAfter(turn, at, model));
  return (await Promise.all(asked.map((round) => pairsAt(round, model)))).flat();
}

/**
 * Returns the turn with its position in the conversation. Its own model gave the invalid answers, which have text and
 * no calls.
 */
function placed(turn: HistoryTurn, index: number, mode: Asked['mode']): HistoryTurn {
  const rounds = turn.rounds.map((round) => (round.violations ? invalid(round, turn) : round));
  const config = { ...turn.config, tool_mode: mode };
  return { ...turn, config, rounds, id: `turn_${index}`, position: index + 1, leftOut: 0 };
}

function invalid(round: HistoryTurn['rounds'][number], { config }: HistoryTurn): HistoryTurn['rounds'][number] {
  return { ...round, calls: [], text: round.text?.trim() ? round.text : '{}', model: config.model };
}

/**
 * Returns whether this model was asked for a round, and another round follows. In a turn without tools, the model
 * calls no tool.
 */
function continuesAfter({ rounds, output, config }: HistoryTurn, at: number, model: string): boolean {
  const round = rounds[at];
  if (!round || (at === rounds.length - 1 && output !== null)) return false;
  if (config.tools.length === 0 && rounds.slice(0, at + 1).some(({ calls }) => calls.length > 0)) return false;
  const isSame = round.model.split('/')[0] === model.split('/')[0];
  return isSame && (round.calls.length > 0 || Boolean(round.violations));
}

type Place = { turn: HistoryTurn; at: number; earlier: HistoryTurn[] };

async function pairsAt({ turn, at, earlier }: Place, model: string): Promise<RequestPair[]> {
  const [first, second] = [turnAt(turn, at, model), turnAt(turn, at + 1, model)];
  const history = historyOf(earlier, first);
  const [before, after, last] = await Promise.all([
    requestOf(first, { history, final: null }),
    requestOf(second, { history: historyOf(earlier, second), final: null }),
    requestOf(second, { history: historyOf(earlier, second), final: 'max_rounds' }),
  ]);
  const about = {
    before,
    isForced: at === 0 && !['auto', 'none'].includes(String(turn.config.tool_choice)),
    lastRole: history.findLast(isSaying)?.role ?? null,
  };
  return [
    { ...about, after, kind: needsRepair(second) ? 'repair' : 'plain' },
    { ...about, after: last, kind: 'final' },
  ];
}

/** Returns whether a message has content. Blank messages are sent to no provider. */
function isSaying({ content, ...message }: Message): boolean {
  const hasMore = message.role === 'assistant' ? message.calls.length > 0 : Boolean(message.parts?.length);
  return hasMore || Boolean(content?.trim());
}

function turnAt(turn: HistoryTurn, done: number, model: string): HistoryTurn {
  const rounds = turn.rounds.slice(0, done);
  const going = { status: 'in_progress' as const, output: null, error: null };
  return { ...turn, ...going, work: { ...turn.work, model }, config: { ...turn.config, model }, rounds };
}

type History = ReturnType<typeof transcriptOf>;

function historyOf(earlier: HistoryTurn[], turn: HistoryTurn): History {
  return transcriptOf(sentHistory([...earlier, turn]));
}

type Asking = { history: History; final: 'max_rounds' | null };

/** Returns the first request for the next round of a turn, in the tool mode of the turn. */
async function requestOf(turn: HistoryTurn, { history, final }: Asking): Promise<RoundRequest> {
  const request = roundRequest(turn, { kind: 'run-round', round: turn.rounds.length + 1, final }, history);
  const sent: RoundRequest[] = [];
  await noteRequests(turn, request, sent);
  return sent[0]!;
}
