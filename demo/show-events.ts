import { styleText } from 'node:util';
import type { Screen } from './screen.ts';
import { showText, type TextShow } from './show-text.ts';
import { showTools } from './show-tools.ts';
import type { StepLog } from './step-log.ts';
import type { TurnEvent } from './turn-event.ts';

/** Shows a turn while it happens, from the events that any client of the API gets. */
export function showEvents(screen: Screen, steps: StepLog): { show(event: TurnEvent): void; breakOff: TextShow['breakOff'] } {
  const text = showText(screen, steps);
  const tools = showTools(screen, steps);

  function show(event: TurnEvent): void {
    switch (event.type) {
      case 'round.started':
        return text.start(event);
      case 'output_text.delta':
        return text.add(event);
      case 'round.completed':
        text.complete(event.round, event.assistant_response);
        tools.expect(event.tool_calls);
        // The last round has its text with the event that ends the turn, in the same transaction.
        return event.tool_calls.length > 0 ? checkpoint(screen, event.round, `${event.tool_calls.length} tool calls wanted`) : undefined;
      case 'tool_call.started':
        return tools.started(event);
      case 'tool_call.progress':
        return tools.progressed(event);
      case 'tool_call.completed':
        return tools.completed(event);
      case 'turn.completed':
      case 'turn.incomplete':
      case 'turn.failed':
      case 'turn.cancelled':
        text.complete(event.turn.rounds.length, event.turn.output);
        return checkpoint(screen, event.turn.rounds.length, event.type.replace('.', ' '));
    }
  }
  return { show, breakOff: text.breakOff };
}

function checkpoint(screen: Screen, round: number, what: string): void {
  screen.say(`${styleText('green', `✓ checkpoint r${round}`)} · ${what.replace(/^1 tool calls/, '1 tool call')}`);
}
