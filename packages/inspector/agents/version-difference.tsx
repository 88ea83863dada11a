import { useState } from 'preact/hooks';
import { scrollable } from '../base/fact-list.tsx';
import { runsOf } from '../base/memo.tsx';
import type { Agent } from '../base/turn.ts';
import { countOf } from '../base/words.ts';
import { configDifference, type Difference } from './config-difference.ts';
import { type Line, lineDifference } from './line-difference.ts';

/** Two versions to choose, and the fields that differ between them. `shown` is the later version at first. */
export function VersionDifference({ versions, shown }: { versions: [Agent, ...Agent[]]; shown: number }) {
  const later = versions.find(({ version }) => version === shown) ?? versions[0];
  const [from, setFrom] = useState((versions.find(({ version }) => version < later.version) ?? later).version);
  const [to, setTo] = useState(later.version);
  const [before, after] = [from, to].map((number) => versions.find(({ version }) => version === number));
  return (
    <section class="stack" aria-label="Differences">
      <h2>Differences</h2>
      <div class="facts-line version-choice">
        <VersionSelect name="From version" versions={versions} chosen={from} choose={setFrom} />
        <VersionSelect name="To version" versions={versions} chosen={to} choose={setTo} />
      </div>
      {before && after && <FieldList from={from} to={to} differences={configDifference(before.config, after.config)} />}
    </section>
  );
}

type SelectProps = { name: string; versions: Agent[]; chosen: number; choose: (version: number) => void };

function VersionSelect({ name, versions, chosen, choose }: SelectProps) {
  return (
    <label>
      {name}
      <select value={chosen} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {versions.map(({ version }) => (
          <option key={version} value={version}>
            {version}
          </option>
        ))}
      </select>
    </label>
  );
}

function FieldList({ from, to, differences }: { from: number; to: number; differences: Difference[] }) {
  const words = `${countOf(differences.length, 'difference')} from version ${from} to version ${to}`;
  return (
    <>
      <p class="meta" role="status">
        {differences.length === 0 ? `Version ${from} and version ${to} have the same fields.` : words}
      </p>
      <ul class="stack">
        {differences.map((each) => (
          <li key={each.name} class="panel">
            <h3>
              <code>{each.name}</code> <span class="meta">{kindOf(each)}</span>
            </h3>
            <LineList name={each.name} lines={lineDifference(each.before ?? '', each.after ?? '')} />
          </li>
        ))}
      </ul>
    </>
  );
}

function kindOf({ before, after }: Difference): string {
  if (before === null) return 'added';
  return after === null ? 'removed' : 'changed';
}

/** The number of equal lines that are shown beside a changed line. */
const CONTEXT = 3;

function LineList({ name, lines }: { name: string; lines: Line[] }) {
  const runs = runsOf(lines, (first, next) => first.kind === next.kind);
  return (
    <pre class="difference" {...scrollable(`Lines of ${name}`)}>
      {runs.flatMap((run, at) => shorten(run, { isFirst: at === 0, isLast: at === runs.length - 1 })).map(lineView)}
    </pre>
  );
}

type Shown = Line | { kind: 'hidden'; count: number };

/** Replaces the equal lines that are far from a change by their number. */
function shorten(run: Line[], { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): Shown[] {
  const head = isFirst ? 0 : CONTEXT;
  const foot = isLast ? 0 : CONTEXT;
  const count = run.length - head - foot;
  if (run[0]?.kind !== 'equal' || count <= 1) return run;
  return [...run.slice(0, head), { kind: 'hidden', count }, ...run.slice(head + count)];
}

function lineView(line: Shown) {
  switch (line.kind) {
    case 'added':
      return <ins>{`+ ${line.text}`}</ins>;
    case 'removed':
      return <del>{`− ${line.text}`}</del>;
    case 'equal':
      return <span>{`  ${line.text}`}</span>;
    case 'hidden':
      return <span class="meta">{`  … ${countOf(line.count, 'equal line')}`}</span>;
  }
}
