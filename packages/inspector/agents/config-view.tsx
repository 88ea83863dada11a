import { CodeBlock, FactList, prettyJson } from '../base/fact-list.tsx';
import type { Agent } from '../base/turn.ts';
import { nameOf } from '../start/turn-request.ts';
import { RawFold } from '../turn/raw-folds.tsx';

/** The configuration of a version: short fields as facts, then instructions and other long fields. */
export function ConfigView({ agent: { version, config } }: { agent: Agent }) {
  const { instructions, tools, ...fields } = config;
  const known = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const long = known.filter(([, value]) => typeof value === 'object');
  const short = known.filter(([, value]) => typeof value !== 'object');
  return (
    <section class="stack" aria-label="Configuration">
      <h2>Configuration of version {version}</h2>
      <FactList
        facts={[
          ...short.map(([name, value]) => [name, String(value)] as [string, string]),
          ['tools', tools?.map(nameOf).join(', ')],
        ]}
      />
      {instructions && (
        <>
          <h3>Instructions</h3>
          <CodeBlock text={instructions} label="Instructions" />
        </>
      )}
      {long.map(([name, value]) => (
        <div key={name} class="stack">
          <h3>{name}</h3>
          <CodeBlock text={prettyJson(value)} label={name} />
        </div>
      ))}
      <RawFold name="configuration" value={config} />
    </section>
  );
}
