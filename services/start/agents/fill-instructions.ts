import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import { filledLength, fillVariables, type Variables, variablesIn } from '#core/turn/agents/fill-variables.ts';
import type { StandingConfig } from '#core/turn/request/turn.ts';

/** Fields merged over the fields of their agent. `isOfAgent`: the instructions are the agent's. */
export type Layer = { merged: StandingConfig; variables: Variables | null; isOfAgent: boolean };

type Filled = { instructions?: string | null; variables?: Variables };

/**
 * Fills the variables of the instructions that apply. An agent's instructions need all their variables. Other
 * instructions change only if their own request, or a later request, has variables. Variables of the conversation
 * that are not in the instructions are left out.
 */
export function fillInstructions({ inherited, given }: { inherited: Layer; given: Layer }): Filled {
  const isGiven = given.merged.instructions !== undefined;
  const { merged, isOfAgent } = isGiven ? given : inherited;
  const { instructions } = merged;
  const values = { ...inherited.variables, ...given.variables };
  const isFilled = isOfAgent || given.variables !== null || (!isGiven && inherited.variables !== null);
  if (!isFilled) return {};
  refuseUnknown(instructions, given.variables ?? {});
  if (!instructions) return {};
  const names = variablesIn(instructions);
  const missing = names.find((name) => !Object.hasOwn(values, name));
  if (missing !== undefined) {
    const message = `The variable ${quote(missing)} of the instructions has no value. Add it to \`variables\`.`;
    throw new RequestRefused(400, 'missing_field', message, `variables.${missing}`);
  }
  if (names.length === 0) return {};
  const used = Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
  refuseLong(instructions, used);
  return { instructions: fillVariables(instructions, used), variables: used };
}

/** The characters that instructions with variables may have after these are replaced. */
const MAX_FILLED = 1_048_576;

function refuseLong(instructions: string, values: Variables): void {
  if (filledLength(instructions, values) <= MAX_FILLED) return;
  const message = `The instructions are longer than ${MAX_FILLED} characters with their \`variables\`. Shorten the values.`;
  throw new RequestRefused(400, 'invalid_value', message, 'variables');
}

/** Refuses variables that the instructions do not have. */
export function refuseUnknown(instructions: string | null | undefined, values: Variables): void {
  const names = variablesIn(instructions ?? '');
  const unknown = Object.keys(values).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const message = `The instructions have no variable ${quote(unknown)}. Remove it, or write {{${unknown}}} into the instructions.`;
  throw new RequestRefused(400, 'invalid_value', message, `variables.${unknown}`);
}
