import { PawlError } from '#client/connect-pawl.ts';
import { CopyButton } from '../base/buttons.tsx';
import { call } from '../base/call.ts';
import { scrollable } from '../base/fact-list.tsx';
import { useTitle } from '../base/memo.tsx';
import { Loaded } from '../base/refusal.tsx';
import { Table } from '../base/table.tsx';
import { formatDateTime } from '../base/time.ts';
import type { Agent, Page } from '../base/turn.ts';
import { useFresh } from '../base/use-fresh.ts';
import { agentHref, listHref, type Route } from '../route.ts';
import { ConfigView } from './config-view.tsx';
import { LabelSection } from './label-section.tsx';
import { labelWords, weightsOf } from './label-words.ts';
import { VersionDifference } from './version-difference.tsx';

const MOST = 100;

/** `shown` is the version of the address. `current` is null if the agent is deleted. */
type Read = { shown: Agent; current: Agent | null; versions: Page<Agent> };

/** An agent: a version, the labels, all versions, and the differences between two of them. */
export function AgentPage({ id, query }: Route) {
  const agent = useFresh((signal) => readAgent(id, query.get('version'), signal), { everyMs: 5_000 });
  useTitle(agent.data?.shown.name ?? 'Agent');
  return (
    <Loaded from={agent}>
      {(read) => (
        <>
          <Head read={read} />
          {read.current && <LabelSection agent={read.current} refresh={agent.again} />}
          <ConfigView agent={read.shown} />
          <VersionTable read={read} />
          <Differences read={read} />
        </>
      )}
    </Loaded>
  );
}

async function readAgent(id: string, version: string | null, signal: AbortSignal): Promise<Read> {
  const path = `/v1/agents/${encodeURIComponent(id)}`;
  const [current, versions] = await Promise.all([
    call<Agent>('GET', path, { signal }).catch((error) => {
      // A deleted agent is found by its id with a version.
      if (version !== null && error instanceof PawlError && error.status === 404) return null;
      throw error;
    }),
    call<Page<Agent>>('GET', `${path}/versions?limit=${MOST}`, { signal }),
  ]);
  const isCurrent = current !== null && (version === null || version === String(current.version));
  const query = new URLSearchParams({ version: version ?? '' });
  return { shown: isCurrent ? current : await call<Agent>('GET', `${path}?${query}`, { signal }), current, versions };
}

function Head({ read: { shown, current } }: { read: Read }) {
  const isCurrent = shown.version === current?.version;
  const reference = isCurrent ? shown.name : `${shown.name}@${shown.version}`;
  return (
    <header class="turn-head">
      <p class="crumbs facts-line">
        <a href="#/agents">Agents</a>
        <CopyButton text={() => shown.id} label={`Copy ${shown.id}`}>
          {shown.id}
        </CopyButton>
      </p>
      <h1>{shown.name}</h1>
      <div class="bar-of-actions facts-line">
        <span class="meta">{`Version ${shown.version}${isCurrent ? ', the current version' : ''}`}</span>
        <time class="meta" dateTime={shown.created_at}>
          Created {formatDateTime(shown.created_at)}
        </time>
        {current && !isCurrent && (
          <a class="meta" href={agentHref(shown.name)}>
            Current version
          </a>
        )}
        <div class="actions">
          <a class="button" href={listHref({ agent: shown.name })}>
            Turns
          </a>
          {current && (
            <a class="button primary" href={`#/new?agent=${reference}`}>
              Start a turn
            </a>
          )}
        </div>
      </div>
      {current === null && <p class="meta">This agent is deleted. New turns cannot use it.</p>}
    </header>
  );
}

function VersionTable({ read: { shown, current, versions } }: { read: Read }) {
  const hrefOf = (version: number) => agentHref(current ? shown.name : shown.id, version);
  return (
    <section class="stack versions" {...scrollable('Versions')}>
      <h2>Versions</h2>
      <Table
        rows={versions.data}
        keyOf={({ version }) => String(version)}
        columns={[
          ['Version', ({ version }) => <VersionLink {...{ version, href: hrefOf(version), shown: shown.version }} />],
          ['Created', ({ version_created_at: at }) => formatDateTime(at)],
          ['Model', ({ config }) => config.model],
          ['Labels', ({ version }) => labelsOf(shown, version)],
          ['Turns', (agent) => <TurnsLink agent={agent} />],
        ]}
      />
      {versions.next_cursor && <p class="meta">The page shows the {MOST} newest versions.</p>}
    </section>
  );
}

function Differences({ read: { shown, versions } }: { read: Read }) {
  const [newest, ...others] = versions.data;
  if (!newest || others.length === 0) return null;
  return <VersionDifference versions={[newest, ...others]} shown={shown.version} />;
}

function VersionLink({ version, href, shown }: { version: number; href: string; shown: number }) {
  return (
    <a href={href} aria-label={`Version ${version}`} aria-current={version === shown ? 'true' : undefined}>
      {version}
    </a>
  );
}

function TurnsLink({ agent: { name, version } }: { agent: Agent }) {
  const reference = `${name}@${version}`;
  return (
    <a href={listHref({ agent: reference })} aria-label={`Turns of ${reference}`}>
      Turns
    </a>
  );
}

/** Returns the labels of a version. A label with weights has them in words as its tooltip. */
function labelsOf({ labels }: Agent, version: number) {
  return Object.entries(labels)
    .filter(([, label]) => weightsOf(label).some(([named]) => named === version))
    .map(([name, label]) => (
      <code key={name} class="label" title={labelWords(label)}>
        {name}
      </code>
    ));
}
