import { ProviderFailed } from '../../../failure.ts';
import { cleanText } from '../../../text.ts';
import type { ToolChoice } from '../../../turn/turn-request.ts';
import type { DecidedCall } from './parse-decision.ts';

/** Holds a decision against `tool_choice`; one that breaks it is a `ProviderFailed` `tool_choice_violated`. */
export function enforceChoice(calls: DecidedCall[], choice: ToolChoice): void {
  if (choice === 'auto') return;
  if (choice === 'none') {
    if (calls.length > 0) throw violation(`tool_choice is none, but the model called ${namesOf(calls)}.`);
  } else if (choice === 'required') {
    if (calls.length === 0) throw violation('tool_choice is required, but the model called no tool.');
  } else if (calls.length !== 1 || calls[0]?.name !== choice.name) {
    throw violation(`tool_choice demands one call of "${choice.name}", but the model called ${namesOf(calls)}.`);
  }
}

function violation(what: string): ProviderFailed {
  const message = `${what} Retry the turn, choose auto, or use a model that follows it.`;
  return new ProviderFailed('tool_choice_violated', message, { retry: { kind: 'never' } });
}

/** What a model calls may be any text, of any length. */
function namesOf(calls: DecidedCall[]): string {
  const names = calls.map(({ name }) => JSON.stringify(name)).join(', ');
  return cleanText(names.slice(0, 200)) || 'no tool';
}
