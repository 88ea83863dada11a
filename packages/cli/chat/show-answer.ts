import { styleText } from 'node:util';
import type { Turn, TurnEvent } from '../../client/connect-pawl.ts';
import { listSources } from '../calls/list-sources.ts';
import { inLine } from '../calls/subject-of.ts';
import { type HostedCall, type HostedEvent, trackHosted } from '../calls/track-hosted.ts';
import { saidText } from '../said-text.ts';
import type { ChatView } from './chat-view.ts';

type Round = Turn['rounds'][number];
type Call = Round['tool_calls'][number];
type Result = Round['results'][number];
type Of<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>;

/** A turn as an answer in a chat. `notice` reads the changes that a person has made to its calls. */
export type AnswerShow = { show(event: TurnEvent): void; notice(turn: Turn): void };

/** Shows the text of an answer while it streams, and a line for each call. */
export function showAnswer(view: ChatView): AnswerShow {
  const calls = showCalls(view);
  const { isNew, missed } = trackHosted();
  function show(event: TurnEvent): void {
    switch (event.type) {
      case 'output_text.delta':
        view.text(event.delta);
        break;
      case 'round.started':
        view.endText();
        calls.clear();
        break;
      case 'hosted_call.started':
      case 'hosted_call.completed':
        if (isNew(event)) calls.hosted(event);
        break;
      case 'round.completed':
        calls.begin(event);
        break;
      case 'tool_call.completed':
        calls.end(event);
        break;
      case 'input.added':
      case 'context.compacted':
      case 'step.retrying':
      case 'model.changed':
      case 'tier.changed':
        showDetour(event, view);
        break;
      case 'turn.completed':
      case 'turn.incomplete':
      case 'turn.failed':
      case 'turn.cancelled':
        calls.clear();
        view.endText();
        for (const call of missed(event.turn)) view.say(describeHosted(call));
        showEnd(event.turn, view);
        break;
    }
  }
  return { show, notice: calls.notice };
}

/** Shows the open calls of a batch, and a line for each answered call. */
function showCalls(view: ChatView) {
  let calls: Call[] = [];
  let hosted: HostedCall[] = [];
  const set = (open: Call[], ofProvider: HostedCall[] = []) => {
    calls = open;
    hosted = ofProvider;
    const running = [...calls.map(describeCall), ...hosted.map(describeHosted)];
    view.running(running.map((line) => styleText('dim', `▸ ${line}`)));
  };
  return {
    begin: ({ tool_calls }: Of<'round.completed'>) => {
      view.endText();
      set(tool_calls);
    },
    end: ({ tool_call_id: id, name, result }: Of<'tool_call.completed'>) => {
      const call = calls.find((one) => one.id === id) ?? { id, name, arguments: {} };
      view.say(describeAnswered(call, result));
      set(calls.filter((one) => one.id !== id));
    },
    /** A call of the provider runs while the model answers, so no other call is open. */
    hosted: ({ hosted_call: call }: HostedEvent) => {
      const others = hosted.filter(({ id }) => id !== call.id);
      if (call.status === 'in_progress') return set(calls, [...others, call]);
      view.say(describeHosted(call));
      set(calls, others);
    },
    clear: () => set([]),
    notice: ({ rounds }: Turn) => {
      const known = new Map(rounds.at(-1)?.tool_calls.map((call) => [call.id, call]));
      set(calls.map((call) => known.get(call.id) ?? call));
    },
  };
}

function showDetour(
  event: Of<'input.added' | 'context.compacted' | 'step.retrying' | 'model.changed' | 'tier.changed'>,
  view: ChatView,
): void {
  switch (event.type) {
    case 'input.added':
      view.note(`… joins the answer: ${event.input.map(({ content }) => saidText(content)).join(' ')}`);
      break;
    case 'context.compacted':
      view.note(`… the history was compacted, ${event.before_tokens} tokens to ${event.after_tokens}`);
      break;
    case 'step.retrying':
      view.note(`… again in ${(event.retry_in_ms / 1000).toFixed(1)} s: ${event.error.message}`);
      break;
    case 'model.changed':
      view.note(`… continues with ${event.to}: ${event.error.message}`);
      break;
    case 'tier.changed':
      view.note(`… continues on tier ${event.to} instead of ${event.from}: ${event.because}`);
      break;
  }
}

function showEnd(turn: Turn, view: ChatView): void {
  const { status, error, incomplete_details: details } = turn;
  for (const source of listSources(turn)) view.note(source);
  if (status === 'cancelled') view.note('… stopped');
  if (status === 'incomplete') view.say(styleText('yellow', `… cut short: ${details?.reason}`));
  if (status === 'failed') view.say(styleText('red', `✗ ${error?.message} /retry continues the turn.`));
  view.say('');
}

function outcomeOf({ error, cached, duration_ms: ms }: Result): string {
  if (!error && cached) return styleText('green', '✓ reused');
  if (error) return styleText('red', `✗ ${error.category}: ${error.message}`);
  return styleText('green', ms === null ? '✓' : `✓ ${(ms / 1000).toFixed(2)} s`);
}

export function describeAnswered(call: Call, result: Result | undefined): string {
  return result ? `${describeCall(call)}  ${outcomeOf(result)}` : describeCall(call);
}

/** Returns a line with a call and its approved or requested arguments. */
export function describeCall({ name, arguments: asked, approved_arguments: approved }: Call): string {
  const args = approved ?? asked;
  return `${name} ${typeof args === 'string' ? args : JSON.stringify(args)}`;
}

/** Returns a line with a call that the provider runs, and its outcome after its end. */
export function describeHosted({ type, input, status, error }: HostedCall): string {
  const call = input ? `${type} ${JSON.stringify(input)}` : type;
  if (status === 'in_progress') return call;
  if (status === 'failed') return `${call}  ${styleText('red', `✗ ${inLine(error ?? 'failed')}`)}`;
  return `${call}  ${styleText('green', '✓')}`;
}
