import { createRef, type RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { ActionButton, notice } from '../base/buttons.tsx';
import { call } from '../base/call.ts';
import { askFirst } from '../base/dialog.tsx';
import type { Agent } from '../base/turn.ts';
import { type Label, labelWords, weightsOf } from './label-words.ts';

type Props = { agent: Agent; refresh: () => Promise<void> };

/** The labels of an agent, with buttons to set, change and remove them. */
export function LabelSection({ agent, refresh }: Props) {
  const labels = Object.entries(agent.labels);
  return (
    <section class="stack" aria-label="Labels">
      <h2>Labels</h2>
      {labels.length === 0 && (
        <p class="meta">A label names a version, such as “production”. Turns can use its name.</p>
      )}
      <ul class="label-list">
        {labels.map(([name, label]) => (
          <li key={name} class="facts-line">
            <code>{`${agent.name}@${name}`}</code>
            <span class="meta">{labelWords(label)}</span>
            <a class="button quiet" href={`#/new?agent=${agent.name}@${name}`} aria-label={`Start a turn with ${name}`}>
              Start a turn
            </a>
            <ActionButton looks="quiet" label={`Change ${name}`} work={() => askLabel(agent, { name, label, refresh })}>
              Change
            </ActionButton>
            <ActionButton
              looks="quiet danger"
              label={`Remove ${name}`}
              work={() => askRemove(agent, { name, refresh })}
            >
              Remove
            </ActionButton>
          </li>
        ))}
      </ul>
      <div class="actions">
        <ActionButton work={() => askLabel(agent, { refresh })}>Set a label</ActionButton>
      </div>
    </section>
  );
}

type Asked = { name?: string; label?: Label; refresh: () => Promise<void> };

/** Asks for a label and its versions, and sets it. A label with a name keeps the name. */
function askLabel(agent: Agent, { name, label = { version: agent.version }, refresh }: Asked) {
  const fields = createRef<HTMLDivElement>();
  return askFirst({
    title: name === undefined ? 'Set a label' : `Change the label ${name}`,
    body: <LabelFields place={fields} name={name} weights={weightsOf(label)} />,
    action: 'Set it',
    work: async () => {
      const form = fields.current?.closest('form');
      if (!form) return;
      const { label: given, body } = requestOf(new FormData(form));
      const path = `/v1/agents/${agent.id}/labels/${encodeURIComponent(name ?? given)}`;
      await call('PUT', path, { body });
      notice('Set.');
      await refresh();
    },
  });
}

function requestOf(given: FormData) {
  const [versions, weights] = [given.getAll('version').map(String), given.getAll('weight').map(Number)];
  const [first] = versions;
  const split = Object.fromEntries(versions.map((version, at) => [version, weights[at] ?? 1]));
  const body = versions.length > 1 ? { versions: split } : { version: Number(first) };
  return { label: String(given.get('label') ?? '').trim(), body };
}

type FieldsProps = { place: RefObject<HTMLDivElement | null>; name: string | undefined; weights: [number, number][] };

/** The name of a label, and its versions. Several versions have weights. */
function LabelFields({ place, name, weights }: FieldsProps) {
  const [rows, setRows] = useState(() => weights.map(([version, weight], key) => ({ key, version, weight })));
  const isSplit = rows.length > 1;
  const last = rows.at(-1);
  const add = () => setRows([...rows, { key: (last?.key ?? 0) + 1, version: 1, weight: 1 }]);
  return (
    <div ref={place} class="stack label-fields">
      {name === undefined && (
        <label>
          Label
          <input name="label" required maxLength={32} placeholder="production" autocomplete="off" spellcheck={false} />
        </label>
      )}
      {rows.map(({ key, version, weight }) => (
        <div key={key} class="facts-line">
          <label>
            Version
            <input name="version" type="number" min={1} required defaultValue={version} />
          </label>
          {isSplit && (
            <label>
              Weight
              <input name="weight" type="number" min={1} required defaultValue={weight} />
            </label>
          )}
          {isSplit && (
            <button type="button" class="quiet" onClick={() => setRows(rows.filter((row) => row.key !== key))}>
              Remove version
            </button>
          )}
        </div>
      ))}
      <div class="actions">
        <button type="button" class="quiet" onClick={add}>
          Add a version
        </button>
      </div>
      <p class="meta">
        New turns with this label use {isSplit ? 'one of these versions, by the weights' : 'this version'}. Accepted
        turns keep their version.
        {isSplit && ' All turns of a conversation get the same version while the weights stay.'}
      </p>
    </div>
  );
}

function askRemove({ id, name: agentName }: Agent, { name, refresh }: { name: string } & Pick<Props, 'refresh'>) {
  return askFirst({
    title: `Remove the label ${name}?`,
    body: <p>{`The API refuses new turns with ${agentName}@${name}. Accepted turns keep their version.`}</p>,
    action: 'Remove it',
    isDanger: true,
    work: async () => {
      await call('DELETE', `/v1/agents/${id}/labels/${encodeURIComponent(name)}`);
      notice('Removed.');
      await refresh();
    },
  });
}
