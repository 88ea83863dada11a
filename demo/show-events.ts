import { styleText } from 'node:util';
import type { Screen } from './screen.ts';
import { showText, type TextShow } from './show-text.ts';
import { showTools, type ToolShow } from './show-tools.ts';
import type { StepLog } from './step-log.ts';
import type { TurnEvent } from './turn-event.ts';

type Views = { screen: Screen; text: TextShow; tools: ToolShow };
type RoundEnd = Extract<TurnEvent, { type: 'round.completed' }>;
type TurnEnd = Extract<TurnEvent, { turn: unknown }>;

/** Shows a turn while it happens, from the events that any client of the API gets. */
export function showEvents(
  screen: Screen,
  steps: StepLog,
): { show(event: TurnEvent): void; breakOff: TextShow['breakOff'] } {
  const text = showText(screen, steps);
  const views = { screen, text, tools: showTools(screen, steps) };
  return { show: (event) => showEvent(event, views), breakOff: text.breakOff };
}

function showEvent(event: TurnEvent, views: Views): void {
  switch (event.type) {
    case 'round.started':
      views.text.start(event);
      break;
    case 'output_text.delta':
      views.text.add(event);
      break;
    case 'round.completed':
      showRoundEnd(event, views);
      break;
    case 'tool_call.started':
      views.tools.started(event);
      break;
    case 'tool_call.progress':
      views.tools.progressed(event);
      break;
    case 'tool_call.completed':
      views.tools.completed(event);
      break;
    case 'turn.completed':
    case 'turn.incomplete':
    case 'turn.failed':
    case 'turn.cancelled':
      showTurnEnd(event, views);
      break;
  }
}

/** A round without calls is the last: its text comes with the event that ends the turn, in the same transaction. */
function showRoundEnd({ round, assistant_response, tool_calls: calls }: RoundEnd, views: Views): void {
  if (calls.length === 0) return;
  views.text.complete(round, assistant_response);
  views.tools.expect(calls);
  checkpoint(views.screen, round, `${calls.length} tool call${calls.length === 1 ? '' : 's'} wanted`);
}

function showTurnEnd({ type, turn }: TurnEnd, { screen, text }: Views): void {
  if (type !== 'turn.completed') {
    screen.say(styleText('red', `✗ ${type.replace('.', ' ')}`));
    return;
  }
  text.complete(turn.rounds.length, turn.output);
  checkpoint(screen, turn.rounds.length, 'the turn is completed');
}

function checkpoint(screen: Screen, round: number, what: string): void {
  screen.say(`${styleText('green', `✓ checkpoint r${round}`)} · ${what}`);
}
