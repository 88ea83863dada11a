import { call } from '../base/call.ts';
import { Age } from '../base/fact-list.tsx';
import { useTitle } from '../base/memo.tsx';
import { Empty, Loaded } from '../base/refusal.tsx';
import type { Agent, Page } from '../base/turn.ts';
import { useClock, useFresh } from '../base/use-fresh.ts';
import { agentHref, type Route } from '../route.ts';
import { labelWords } from './label-words.ts';

const MOST = 100;

const ABOUT =
  'An agent is a configuration of turns with a name and versions. Create it with POST /v1/agents, and start turns with its name.';

/** The list of agents, newest first, with their labels. */
export function AgentsPage(_: Route) {
  const read = (signal: AbortSignal) => call<Page<Agent>>('GET', `/v1/agents?limit=${MOST}`, { signal });
  const agents = useFresh(read, { everyMs: 5_000 });
  useClock(1_000);
  useTitle('Agents');
  return (
    <>
      <h1>Agents</h1>
      <Loaded from={agents}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Empty title="No agents yet" text={ABOUT} href="docs" action="Open the API reference" />
            ) : (
              <ol class="rows agents" aria-label="Agents">
                {data.map((agent) => (
                  <li key={agent.id}>
                    <AgentRow agent={agent} />
                  </li>
                ))}
              </ol>
            )}
            {next && <p class="meta">The page shows the {MOST} newest agents.</p>}
          </>
        )}
      </Loaded>
    </>
  );
}

function AgentRow({ agent }: { agent: Agent }) {
  const { name, version, labels, config, created_at: createdAt } = agent;
  return (
    <a class="row" href={agentHref(name)}>
      <b>{name}</b>
      <span class="meta">version {version}</span>
      <span class="meta labels">
        {Object.entries(labels).map(([label, versions]) => (
          <span key={label}>
            <b>{label}</b> {labelWords(versions)}
          </span>
        ))}
      </span>
      <span class="meta">{config.model}</span>
      <Age at={createdAt} />
    </a>
  );
}
