import { isHandOver } from '../call.ts';
import { outputAnnotations } from '../responses/hosted/output-annotation.ts';
import { customInput, refusalStart, textOfRound } from '../responses/output-item.ts';
import { isRefused } from '../responses/status.ts';
import { isTerminal, type Round, type ToolCall, type Turn } from '../turn.ts';

/** A call that the client answers, in the shape of Chat Completions. */
export type CompletionCall =
  | { id: string; type: 'function'; function: { name: string; arguments: string } }
  | { id: string; type: 'custom'; custom: { name: string; input: string } };

/** A source of the content, in the shape of Chat Completions. */
export type CompletionAnnotation = {
  type: 'url_citation';
  url_citation: { start_index: number; end_index: number; url: string; title: string };
};

export type CompletionMessage = {
  role: 'assistant';
  content: string | null;
  refusal: string | null;
  annotations: CompletionAnnotation[];
  reasoning_content?: string;
  tool_calls?: CompletionCall[];
  function_call?: { name: string; arguments: string };
};

export type CompletionFinish = 'stop' | 'length' | 'tool_calls' | 'function_call' | 'content_filter';

/**
 * Returns the message that a turn has written so far: the texts of its committed rounds and the calls for its client.
 */
export function completionMessage(turn: Turn): CompletionMessage {
  const said = turn.rounds.map((round) => textsOf(turn, round));
  const reasoning = joinTexts(said.map((each) => each.reasoning));
  const content = joinTexts(said.map(({ text }) => text));
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    refusal: said.at(-1)?.refusal ?? null,
    annotations: annotationsOf(turn),
    ...(reasoning && { reasoning_content: reasoning }),
    ...callFields(turn),
  };
}

/** Returns the sources on the web of all texts. Their indexes count from the start of the joined texts. */
function annotationsOf(turn: Turn): CompletionAnnotation[] {
  let start = 0;
  return turn.rounds.flatMap((round) => {
    const { text } = textsOf(turn, round);
    const from = start;
    if (text !== '') start += text.length + BETWEEN_ROUNDS.length;
    return outputAnnotations(round.hosted?.annotations ?? [], text).flatMap((annotation) => {
      if (annotation.type !== 'url_citation') return [];
      const { start_index, end_index, url, title } = annotation;
      const url_citation = { start_index: from + start_index, end_index: from + end_index, url, title };
      return [{ type: annotation.type, url_citation }];
    });
  });
}

function callFields(turn: Turn): Pick<CompletionMessage, 'tool_calls' | 'function_call'> {
  const calls = clientCalls(turn);
  const [first] = calls;
  if (!first) return {};
  return usesFunctions(turn) && first.type === 'function' ? { function_call: first.function } : { tool_calls: calls };
}

/** Returns the calls of a turn that its client answers in a later completion. */
export function clientCalls({ config, rounds }: Turn): CompletionCall[] {
  const calls = rounds.at(-1)?.calls ?? [];
  const open = calls.filter(({ name, result }) => result?.status === 'handed_over' && isHandOver(config.tools, name));
  return open.map((call) => completionCall(config, call));
}

/** Returns whether the client of a turn uses `functions`, the older form of `tools`. */
export function usesFunctions({ config }: Pick<Turn, 'config'>): boolean {
  return config.completion?.usesFunctions ?? false;
}

function completionCall({ tools }: Turn['config'], call: ToolCall): CompletionCall {
  const { id, name } = call;
  const isCustom = tools.find((tool) => tool.name === name)?.handOver?.custom ?? false;
  if (isCustom) return { id, type: 'custom', custom: { name, input: customInput(call.arguments) } };
  return { id, type: 'function', function: { name, arguments: call.arguments || '{}' } };
}

/** Returns why the completion of a turn ended, or null if it has not ended or has failed. */
export function completionFinish(turn: Turn): CompletionFinish | null {
  if (!isTerminal(turn.status) || turn.status === 'failed') return null;
  if (turn.status === 'cancelled' || isRefused(turn)) return 'stop';
  if (turn.status === 'incomplete') return turn.incompleteReason === 'content_filter' ? 'content_filter' : 'length';
  if (clientCalls(turn).length === 0) return 'stop';
  return usesFunctions(turn) ? 'function_call' : 'tool_calls';
}

/** The reasoning, text and refusal of a reply in a completion. A null refusal means that the model did not refuse. */
export type CompletionTexts = { reasoning: string; text: string; refusal: string | null };

export function textsOf(turn: Turn, round: Round): CompletionTexts {
  const whole = textOfRound(turn, round);
  const start = refusalStart(round, whole);
  return {
    reasoning: round.reasoning ?? '',
    text: whole.slice(0, start ?? whole.length),
    refusal: start === null ? null : whole.slice(start),
  };
}

/** The separator between texts of two rounds. */
export const BETWEEN_ROUNDS = '\n\n';

/** Joins texts of rounds by a blank line. Rounds without text add no line. */
function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(BETWEEN_ROUNDS);
}
