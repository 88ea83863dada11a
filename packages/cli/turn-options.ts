import type { Command } from 'commander';
import type { TurnRequest } from '../client/connect-pawl.ts';
import { readHosted } from './calls/read-hosted.ts';
import { readValues } from './read-values.ts';

export const DEFAULT_MODEL = 'sim/demo';

export type TurnOptions = {
  model?: string;
  fallback?: string[];
  tools?: string[];
  hosted?: ReturnType<typeof readHosted>;
  instructions?: string;
};

/** Adds these options to a command. `model` describes the option of that name. */
export function addTurnOptions(command: Command, model: string): Command {
  return command
    .option('--model <provider/model>', model)
    .option('--fallback <models>', 'models to ask in this order if the model cannot answer', readValues)
    .option('--tools <names>', 'server-side tools that the model may call', readValues)
    .option('--hosted <tool>', 'a tool of the provider, as web_search or web_search={…} (repeatable)', readHosted)
    .option('--instructions <text>', 'the system prompt');
}

export function turnFields({ model, fallback, tools, hosted, instructions }: TurnOptions) {
  const all = tools || hosted ? [...(tools ?? []), ...(hosted ?? [])] : undefined;
  return { model, fallback_models: fallback, tools: all, instructions } satisfies Partial<TurnRequest>;
}
