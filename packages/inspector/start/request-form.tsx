import { useEffect, useRef, useState } from 'preact/hooks';
import { PawlError, partOf } from '#client/connect-pawl.ts';
import { ActionButton, pressSubmit } from '../base/buttons.tsx';
import { call } from '../base/call.ts';
import { JsonField, JsonInput } from '../base/json-field.tsx';
import type { Turn } from '../base/turn.ts';
import { joinContent, splitContent } from '../content/split-content.ts';
import { turnHref } from '../route.ts';
import { modelNames } from './model-names.ts';
import { concerns, Problem, problemOf, RequestField } from './request-field.tsx';
import { LIMITS, nameOf, type Tool, type TurnRequest } from './turn-request.ts';

/** The choices of the form. `draft` is the request that it begins with. */
export type Offer = {
  draft: TurnRequest;
  tools: (string | Tool)[];
  unavailable: { reason: string }[];
  providers: { name: string }[];
};

/** A form that starts a turn, and opens the page of the turn. A refusal marks its field, and the field takes the focus. */
export function RequestForm({ offer: { draft, tools, unavailable, providers } }: { offer: Offer }) {
  const form = useRef<HTMLFormElement>(null);
  const [refused, setRefused] = useState<PawlError | null>(null);
  const [schema] = useState(() => new JsonField('Output schema', draft.output_schema ?? ''));
  const models = modelNames(providers);
  const { words } = splitContent(draft.input.at(-1)?.content ?? '');
  const field: Field = (name, label) => ({ name, label, refused });
  useEffect(() => form.current?.querySelector('textarea')?.focus(), []);
  const start = async () => {
    if (!form.current?.reportValidity()) return;
    setRefused(null);
    try {
      const body = { ...draft, ...(await readForm(form.current, { draft, tools })), ...readSchema(schema) };
      const turn = await call<Turn>('POST', '/v1/turns', { body });
      location.hash = turnHref(turn.id);
    } catch (error) {
      if (schema.refuse(error, 'output_schema')) return;
      if (!(error instanceof PawlError) || !hasField(form.current, error)) throw error;
      setRefused(error);
    }
  };
  const press = ({ key, ctrlKey, metaKey }: KeyboardEvent) => {
    if (key === 'Enter' && (ctrlKey || metaKey)) pressSubmit(form.current?.querySelector('textarea') ?? null);
  };
  return (
    <form ref={form} class="new" onSubmit={(event) => event.preventDefault()} onKeyDown={press}>
      <RequestField
        {...field('model', 'Model')}
        required
        list="models"
        defaultValue={draft.model || models.find(isWhole)}
      />
      <datalist id="models">
        {models.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
      <RequestField {...field('input', 'Input')} rows={6} required defaultValue={words} />
      <RequestField {...field('files', 'Images, files or audio')} type="file" multiple />
      <RequestField {...field('instructions', 'Instructions')} rows={2} defaultValue={draft.instructions ?? ''} />
      <ToolChoice draft={draft} tools={tools} unavailable={unavailable} refused={refused} />
      <MoreFields draft={draft} schema={schema} field={field} />
      <div class="actions">
        <ActionButton submits looks="primary" work={start}>
          Start turn
        </ActionButton>
        <span class="hint">Ctrl Enter</span>
      </div>
    </form>
  );
}

type Field = (name: string, label: string) => { name: string; label: string; refused: PawlError | null };

/** The fields that few turns need. The fold is open if the draft has one of them. */
function MoreFields({ draft, schema, field }: { draft: TurnRequest; schema: JsonField; field: Field }) {
  const hasMore = Boolean(draft.fallback_models || draft.limits || draft.output_schema);
  return (
    <div class="fold">
      <details open={hasMore}>
        <summary>Fallback models, limits and output schema</summary>
        <div class="inside">
          <RequestField
            {...field('fallback_models', 'Fallback models, separated by commas')}
            list="models"
            defaultValue={draft.fallback_models?.join(', ')}
          />
          <fieldset class="facts">
            <legend>Limits</legend>
            {LIMITS.map(({ name, label, byDefault }) => (
              <RequestField
                key={name}
                {...field(`limits.${name}`, label)}
                type="number"
                min={0}
                step="any"
                placeholder={String(byDefault ?? 'No limit')}
                defaultValue={draft.limits?.[name] ?? undefined}
              />
            ))}
          </fieldset>
          <JsonInput json={schema} />
        </div>
      </details>
    </div>
  );
}

function hasField(form: HTMLFormElement, error: PawlError): boolean {
  return [...new FormData(form).keys()].some((name) => concerns(error, name));
}

/** The fields of the form as a request has them. An empty field is null, and has its default. */
async function readForm(form: HTMLFormElement, { draft, tools }: Pick<Offer, 'draft' | 'tools'>) {
  const data = new FormData(form);
  const textOf = (name: string) => String(data.get(name) ?? '').trim();
  const last = draft.input.at(-1) ?? { role: 'user' as const, content: '' };
  const files = data.getAll('files').flatMap((file) => (file instanceof File && file.size > 0 ? file : []));
  const parts = [...splitContent(last.content).kept, ...(await Promise.all(files.map(partOfFile)))];
  const fallbacks = textOf('fallback_models')
    .split(/[\s,]+/)
    .filter(Boolean);
  const limits = LIMITS.map(({ name }) => [name, textOf(`limits.${name}`)]).filter(([, limit]) => limit);
  return {
    model: textOf('model'),
    input: [...draft.input.slice(0, -1), { ...last, content: joinContent(String(data.get('input')), parts) }],
    tools: tools.filter((tool) => data.getAll('tools').includes(nameOf(tool))),
    instructions: textOf('instructions') || null,
    fallback_models: fallbacks.length > 0 ? fallbacks : null,
    limits: limits.length > 0 ? Object.fromEntries(limits.map(([name, limit]) => [name, Number(limit)])) : null,
  };
}

async function partOfFile(file: File) {
  return partOf(new Uint8Array(await file.arrayBuffer()), { mediaType: file.type, filename: file.name });
}

function readSchema(schema: JsonField) {
  return { output_schema: schema.field.current?.value.trim() ? schema.read() : null };
}

/** Whether a name is complete, and not the beginning of the names of a provider. */
function isWhole(model: string): boolean {
  return !model.endsWith('/');
}

type ToolChoiceProps = Omit<Offer, 'providers'> & { refused: PawlError | null };

/** The tools of the turn. A refused tool takes the focus: its path has its position in the chosen tools. */
function ToolChoice({ draft, tools, unavailable, refused }: ToolChoiceProps) {
  const place = useRef<HTMLFieldSetElement>(null);
  const chosen = (draft.tools ?? []).map(nameOf);
  const problem = problemOf(refused, 'tools');
  useEffect(() => {
    if (problem === null) return;
    const position = Number(/^tools\[(\d+)\]/.exec(problem.param ?? '')?.[1] ?? 0);
    place.current?.querySelectorAll<HTMLElement>(':checked')[position]?.focus();
  }, [problem]);
  if (tools.length === 0 && unavailable.length === 0) return null;
  return (
    <fieldset ref={place}>
      <legend>Tools</legend>
      {tools.map(nameOf).map((name) => (
        <label key={name} class="box">
          <input type="checkbox" name="tools" value={name} defaultChecked={chosen.includes(name)} />
          {name}
        </label>
      ))}
      {unavailable.map(({ reason }) => (
        <p key={reason} class="hint">
          {reason}
        </p>
      ))}
      <Problem problem={problem} />
    </fieldset>
  );
}
