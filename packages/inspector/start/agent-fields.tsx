import { useEffect, useState } from 'preact/hooks';
import { readAgentReference } from '#core/turn/agents/agent-reference.ts';
import { variablesIn } from '#core/turn/agents/fill-variables.ts';
import { weightsOf } from '../agents/label-words.ts';
import { call } from '../base/call.ts';
import type { Agent } from '../base/turn.ts';
import { Options, RequestField, type useRequest } from './request-field.tsx';
import type { TurnRequest } from './turn-request.ts';

/** The texts of a form that decide which variables apply. */
export type GivenTexts = { agent: string; instructions: string };

type Props = Pick<ReturnType<typeof useRequest>, 'field'> & { draft: TurnRequest; agents: Agent[]; given: GivenTexts };

/** The agent of a turn, and a field for each variable of the instructions that apply. */
export function AgentFields({ draft, agents, given, field }: Props) {
  const ofAgent = useInstructions(given.agent, agents);
  const applying = given.instructions.trim() ? [given.instructions] : ofAgent;
  const names = [...new Set(applying.flatMap(variablesIn))];
  const references = agents.flatMap(({ name, labels }) => [
    name,
    ...Object.keys(labels).map((each) => `${name}@${each}`),
  ]);
  return (
    <>
      <RequestField
        {...field('agent', 'Agent')}
        list="agents"
        placeholder="No agent"
        autocomplete="off"
        defaultValue={draft.agent ?? ''}
      >
        {given.agent && <p class="hint">Empty fields have the values of the agent.</p>}
      </RequestField>
      <Options id="agents" values={references} />
      {names.length > 0 && (
        <fieldset class="facts">
          <legend>Variables</legend>
          {names.map((name) => (
            <RequestField
              key={name}
              {...field(`variables.${name}`, name)}
              defaultValue={draft.variables?.[name] ?? ''}
              autocomplete="off"
            />
          ))}
        </fieldset>
      )}
    </>
  );
}

/** Returns the variables of a form that have a value, or undefined without any. */
export function readVariables(form: FormData): Record<string, string> | undefined {
  const values = [...form].flatMap(([name, value]) =>
    name.startsWith('variables.') && value !== '' ? [[name.slice('variables.'.length), String(value)]] : [],
  );
  return values.length > 0 ? Object.fromEntries(values) : undefined;
}

/** Returns the instructions of the versions that a reference names. Unknown references have no instructions. */
function useInstructions(reference: string, agents: Agent[]): string[] {
  const [instructions, setInstructions] = useState<string[]>([]);
  useEffect(() => {
    const leaving = new AbortController();
    readVersions(reference, agents, leaving.signal).then(
      (versions) => setInstructions(versions.map(({ config }) => config.instructions ?? '')),
      // The API refuses an unknown version when the form is sent.
      () => leaving.signal.aborted || setInstructions([]),
    );
    return () => leaving.abort();
  }, [reference, agents]);
  return instructions;
}

async function readVersions(reference: string, agents: Agent[], signal: AbortSignal): Promise<Agent[]> {
  const named = readAgentReference(reference);
  const agent = agents.find(({ name }) => name === named?.name);
  if (!named || !agent) return [];
  const read = async (version: number) =>
    version === agent.version ? agent : call<Agent>('GET', `/v1/agents/${agent.id}?version=${version}`, { signal });
  const versions = await Promise.all(versionsOf(named, agent).map(read));
  return signal.aborted ? Promise.reject(signal.reason) : versions;
}

function versionsOf({ version, label }: { version: number | null; label: string | null }, agent: Agent): number[] {
  const labelled = label === null ? undefined : agent.labels[label];
  if (label !== null) return labelled ? weightsOf(labelled).map(([named]) => named) : [];
  return [version ?? agent.version].filter((named) => named <= agent.version);
}
