import type { Command } from 'commander';
import type { TurnRequest } from '../client/connect-pawl.ts';
import { readHosted } from './calls/read-hosted.ts';
import { readPairs, readValues } from './read-values.ts';

export const DEFAULT_MODEL = 'sim/demo';

/** The options that configure a turn or an agent. */
export type ConfigOptions = {
  model?: string;
  fallback?: string[];
  tools?: string[];
  hosted?: ReturnType<typeof readHosted>;
  instructions?: string;
};

export type TurnOptions = ConfigOptions & { agent?: string; variable?: Record<string, string> };

/** Adds the options of a turn. `model` describes the option of that name. */
export function addTurnOptions(command: Command, model: string): Command {
  return addConfigOptions(command, model)
    .option('--agent <name>', 'the agent: support, support@7 or support@production')
    .option('--variable <name=value>', 'a variable of the instructions (repeatable)', readPairs);
}

/** Adds the options that configure a turn or an agent. */
export function addConfigOptions(command: Command, model: string): Command {
  return command
    .option('--model <provider/model>', model)
    .option('--fallback <models>', 'models to ask in this order if the model cannot answer', readValues)
    .option('--tools <names>', 'server-side tools that the model may call', readValues)
    .option('--hosted <tool>', 'a tool of the provider, as web_search or web_search={…} (repeatable)', readHosted)
    .option('--instructions <text>', 'the system prompt');
}

/** Returns the fields of a turn that the options set. */
export function turnFields({ agent, variable: variables, ...config }: TurnOptions) {
  return { ...configFields(config), agent, variables } satisfies Partial<TurnRequest>;
}

/** Returns the fields of a turn or an agent that the options set. */
export function configFields({ model, fallback, tools, hosted, instructions }: ConfigOptions) {
  const all = tools || hosted ? [...(tools ?? []), ...(hosted ?? [])] : undefined;
  return { model, fallback_models: fallback, tools: all, instructions } satisfies Partial<TurnRequest>;
}

/** Returns the model of a turn: by default that of its agent or conversation, or else the default model. */
export function modelOf({ model, agent }: TurnOptions, conversationId?: string): string | undefined {
  return model ?? (agent === undefined && conversationId === undefined ? DEFAULT_MODEL : undefined);
}
