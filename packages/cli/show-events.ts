import { styleText } from 'node:util';
import type { EndedTurn, Turn, TurnEvent } from '../client/connect-pawl.ts';
import { listSources } from './calls/list-sources.ts';
import { type HostedShow, showHosted } from './calls/show-hosted.ts';
import type { Screen } from './screen.ts';
import { type NameWorker, showTools, type ToolShow } from './show-tools.ts';

type Of<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>;
type TurnChange = Of<'turn.requires_action' | 'turn.resumed' | `turn.${EndedTurn['status']}`>;
type Views = { screen: Screen; text: TextShow; tools: ToolShow; hosted: HostedShow };

/** Shows a turn while it runs, from the public events of the API. */
export function showEvents(
  screen: Screen,
  nameWorker: NameWorker = () => 'a worker',
): { show(event: TurnEvent): void; breakOff: TextShow['breakOff'] } {
  const text = showText(screen, nameWorker);
  const views = { screen, text, tools: showTools(screen, nameWorker), hosted: showHosted(screen) };
  return { show: (event) => showEvent(event, views), breakOff: text.breakOff };
}

function showEvent(event: TurnEvent, { screen, text, tools, hosted }: Views): void {
  switch (event.type) {
    case 'turn.queued':
    case 'turn.started':
    case 'reasoning.delta':
    case 'tool_call.arguments.delta':
      break;
    case 'round.started':
      text.start(event);
      break;
    case 'output_text.delta':
      text.add(event);
      break;
    case 'round.completed':
      showRoundEnd(event, { screen, tools });
      break;
    case 'input.added':
    case 'context.compacted':
    case 'step.retrying':
    case 'model.changed':
    case 'tier.changed':
      showDetour(event, screen);
      break;
    case 'hosted_call.started':
    case 'hosted_call.completed':
    case 'tool_call.started':
    case 'tool_call.progress':
    case 'tool_call.completed':
      showCall(event, { tools, hosted });
      break;
    case 'turn.requires_action':
    case 'turn.resumed':
    case 'turn.completed':
    case 'turn.incomplete':
    case 'turn.failed':
    case 'turn.cancelled':
      showTurn(event, { screen, hosted });
      break;
  }
}

function showCall(
  event: Of<`${'hosted_call' | 'tool_call'}.${'started' | 'completed'}` | 'tool_call.progress'>,
  { tools, hosted }: Pick<Views, 'tools' | 'hosted'>,
): void {
  switch (event.type) {
    case 'hosted_call.started':
    case 'hosted_call.completed':
      hosted.show(event);
      break;
    case 'tool_call.started':
      tools.started(event);
      break;
    case 'tool_call.progress':
      tools.progressed(event);
      break;
    case 'tool_call.completed':
      tools.completed(event);
      break;
  }
}

function showDetour(
  event: Of<'input.added' | 'context.compacted' | 'step.retrying' | 'model.changed' | 'tier.changed'>,
  screen: Screen,
): void {
  const warn = (text: string) => screen.say(styleText('yellow', `! ${text}`));
  switch (event.type) {
    case 'input.added':
      screen.say('a new input will be sent with the next round');
      break;
    case 'context.compacted':
      checkpoint(screen, event.round, `history compacted, ${event.before_tokens} tokens to ${event.after_tokens}`);
      break;
    case 'step.retrying':
      warn(`round ${event.round} again in ${(event.retry_in_ms / 1000).toFixed(1)} s: ${event.error.code}`);
      break;
    case 'model.changed':
      warn(`round ${event.round} changes from ${event.from} to ${event.to}: ${event.error.code}`);
      break;
    case 'tier.changed':
      warn(`round ${event.round} changes from tier ${event.from} to ${event.to}: ${event.because}`);
      break;
  }
}

/**
 * Shows the end of a round. A round without calls and text is the last, and the event that ends the turn shows it. A
 * round with text but without calls needs a repair, or has new input after it.
 */
function showRoundEnd(
  { round, tool_calls: calls, assistant_response: text }: Of<'round.completed'>,
  { screen, tools }: Pick<Views, 'screen' | 'tools'>,
): void {
  if (calls.length === 0) {
    if (text !== null) checkpoint(screen, round, 'the answer is not final, so the turn continues');
    return;
  }
  tools.expect(calls);
  checkpoint(screen, round, `${calls.length} tool call${calls.length === 1 ? '' : 's'} requested`);
}

function showTurn(event: TurnChange, { screen, hosted }: Pick<Views, 'screen' | 'hosted'>): void {
  if (event.type === 'turn.requires_action') screen.say(styleText('yellow', '… the turn waits and occupies no worker'));
  else if (event.type === 'turn.resumed') screen.say('the turn continues');
  else showEnd(event, { screen, hosted });
}

function showEnd(
  { type, turn }: Exclude<TurnChange, Of<'turn.requires_action' | 'turn.resumed'>>,
  { screen, hosted }: Pick<Views, 'screen' | 'hosted'>,
): void {
  if (type === 'turn.completed') checkpoint(screen, turn.rounds.length, 'the turn is completed');
  else screen.say(styleText('red', `✗ ${type.replace('.', ' ')}${reasonOf(turn)}`));
  hosted.catchUp(turn);
  const sources = listSources(turn);
  if (sources.length > 0) screen.say('sources');
  for (const source of sources) screen.add(source);
}

function reasonOf({ error, incomplete_details: details }: Turn): string {
  const reason = error?.message ?? details?.reason;
  return reason ? `: ${reason}` : '';
}

function checkpoint(screen: Screen, round: number, what: string): void {
  screen.say(`${styleText('green', `✓ checkpoint r${round}`)} · ${what}`);
}

/** The streamed text of the current round. */
type TextShow = {
  start(started: { round: number; attempt: number }): void;
  add(event: { delta: string }): void;
  /** Ends an attempt early. Its remaining text is not shown. */
  breakOff(): void;
};

/** Shows each attempt of a round from its beginning. A later attempt replaces an earlier attempt. */
function showText(screen: Screen, nameWorker: NameWorker): TextShow {
  let isBroken = false;

  return {
    start: ({ round, attempt }) => {
      isBroken = false;
      const again = attempt > 1 ? `, attempt ${attempt}` : '';
      screen.gap();
      screen.say(`${styleText('bold', `round ${round}${again}`)} · ${nameWorker('round', round)} asks the model`);
    },
    add: ({ delta }) => {
      if (!isBroken) screen.stream(delta);
    },
    breakOff: () => {
      screen.stream('…');
      isBroken = true;
    },
  };
}
