import type { Command } from 'commander';
import type { TurnRequest } from '../client/connect-pawl.ts';
import { readValues } from './read-values.ts';

export const DEFAULT_MODEL = 'sim/demo';

export type TurnOptions = { model?: string; fallback?: string[]; tools?: string[]; instructions?: string };

/** Adds these options to a command. `model` describes the option of that name. */
export function addTurnOptions(command: Command, model: string): Command {
  return command
    .option('--model <provider/model>', model)
    .option('--fallback <models>', 'models to ask in this order if the model cannot answer', readValues)
    .option('--tools <names>', 'server-side tools that the model may call', readValues)
    .option('--instructions <text>', 'the system prompt');
}

export function turnFields({ model, fallback, tools, instructions }: TurnOptions) {
  return { model, fallback_models: fallback, tools, instructions } satisfies Partial<TurnRequest>;
}
