import { useEffect, useRef, useState } from 'preact/hooks';
import { type PawlError, partOf } from '#client/connect-pawl.ts';
import { ActionButton, pressSubmit } from '../base/buttons.tsx';
import { call } from '../base/call.ts';
import { JsonField, JsonInput } from '../base/json-field.tsx';
import { useTitle } from '../base/memo.tsx';
import { Loaded } from '../base/refusal.tsx';
import type { Agent, Conversation, Page, Turn } from '../base/turn.ts';
import { useFresh } from '../base/use-fresh.ts';
import { joinContent, splitContent } from '../content/split-content.ts';
import { type Route, turnHref } from '../route.ts';
import { AgentFields, type GivenTexts, readVariables } from './agent-fields.tsx';
import { Options, Problem, problemOf, RequestField, useRequest } from './request-field.tsx';
import { type HostedTool, LIMITS, modelNames, nameOf, requestOf, type Tool, type TurnRequest } from './turn-request.ts';

/** A form that starts a turn. The parameter `from` names a turn to start again, and `agent` an agent. */
export function NewPage({ query }: Route) {
  const from = query.get('from');
  const offer = useFresh((signal) => readOffer({ from, agent: query.get('agent') }, signal), ONCE);
  useTitle('New turn');
  return (
    <>
      <header>
        <h1>New turn</h1>
        {from && (
          <p class="meta">
            The form has the request of <a href={turnHref(from)}>an earlier turn</a>, which does not change. The new
            turn has a conversation of its own.
          </p>
        )}
      </header>
      <Loaded from={offer}>{(read) => <RequestForm offer={read} />}</Loaded>
    </>
  );
}

const NO_DRAFT: TurnRequest = { input: [] };

type Asked = { from: string | null; agent: string | null };

const ONCE = { everyMs: 60_000, mayRead: () => false };

async function readOffer({ from, agent }: Asked, signal: AbortSignal): Promise<Offer> {
  type Tools = Pick<Offer, 'unavailable'> & { data: { name: string }[] };
  const [{ data: providers }, { data: known, unavailable }, { data: agents }, draft] = await Promise.all([
    call<{ data: Offer['providers'] }>('GET', '/v1/models', { signal }),
    call<Tools>('GET', '/v1/tools', { signal }),
    call<Page<Agent>>('GET', '/v1/agents?limit=100', { signal }),
    from === null ? { ...NO_DRAFT, ...(agent && { agent }) } : readDraft(from, signal),
  ]);
  const names = known.map(({ name }) => name);
  const own = (draft.tools ?? []).filter((tool) => !names.includes(nameOf(tool)));
  const kinds = [...new Set(providers.flatMap((provider) => provider.hosted_tools))];
  const hosted = kinds.map((type) => ({ type })).filter((tool) => !own.some((one) => nameOf(one) === nameOf(tool)));
  return { draft, agents, tools: [...names, ...own, ...hosted], unavailable, providers };
}

async function readDraft(from: string, signal: AbortSignal): Promise<TurnRequest> {
  const turn = await call<Turn>('GET', `/v1/turns/${encodeURIComponent(from)}`, { signal });
  return requestOf(turn, await call<Conversation>('GET', `/v1/conversations/${turn.conversation_id}`, { signal }));
}

/** The choices of the form. `draft` is the initial request. */
type Offer = {
  draft: TurnRequest;
  agents: Agent[];
  tools: (string | Tool)[];
  unavailable: { reason: string }[];
  providers: { name: string; hosted_tools: HostedTool['type'][] }[];
};

/** A form that starts a turn and opens its page. A refusal marks and focuses its field. */
function RequestForm({ offer }: { offer: Offer }) {
  const { draft, agents, tools, unavailable, providers } = offer;
  const { form, refused, field, schema, start } = useStart(offer);
  const models = modelNames(providers);
  const wholeName = models.find((name) => !name.endsWith('/')) ?? '';
  const { given, note } = useGiven(draft, wholeName);
  const { words } = splitContent(draft.input.at(-1)?.content ?? '');
  useEffect(() => form.current?.querySelector('textarea')?.focus(), [form]);
  const listen = ({ key, ctrlKey, metaKey }: KeyboardEvent) => {
    if (key === 'Enter' && (ctrlKey || metaKey)) pressSubmit(form.current?.querySelector('textarea') ?? null);
  };
  const model = { list: 'models', defaultValue: draft.model ?? (draft.agent ? '' : wholeName) };
  const ofForm = { onSubmit: (event: Event) => event.preventDefault(), onKeyDown: listen, onInput: note };
  return (
    <form ref={form} class="new" {...ofForm}>
      <AgentFields draft={draft} agents={agents} given={given} field={field} />
      <RequestField {...field('model', 'Model')} {...model} required={given.agent === ''} />
      <Options id="models" values={models} />
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

/** Makes the form. `start` sends it, and opens the page of the turn. */
function useStart({ draft, tools }: Pick<Offer, 'draft' | 'tools'>) {
  const [schema] = useState(() => new JsonField('Output schema', draft.output_schema ?? ''));
  const request = useRequest(async (element) => {
    const given = { ...(await readForm(element, { draft, tools })), ...readSchema(schema) };
    const turn = await call<Turn>('POST', '/v1/turns', { body: withoutEmpty({ ...draft, ...given }) });
    location.hash = turnHref(turn.id);
  });
  const start = async () => {
    try {
      await request.press();
    } catch (error) {
      if (!schema.refuse(error, 'output_schema')) throw error;
    }
  };
  return { ...request, schema, start };
}

/** Omits empty fields, since they would override the fields of the agent. */
function withoutEmpty(body: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !isEmpty(value)));
}

/**
 * Keeps the texts that decide which variables apply. The suggested model would override the model of an agent, so a
 * form with an agent suggests none.
 */
function useGiven(draft: TurnRequest, suggested: string) {
  const [given, setGiven] = useState<GivenTexts>({ agent: draft.agent ?? '', instructions: draft.instructions ?? '' });
  const note = ({ currentTarget: form }: { currentTarget: HTMLFormElement }) => {
    const data = new FormData(form);
    const [agent, instructions] = [String(data.get('agent')).trim(), String(data.get('instructions'))];
    const model = form.elements.namedItem('model');
    if ((agent === '') !== (given.agent === '') && model instanceof HTMLInputElement) {
      if (agent !== '' && model.value === suggested) model.value = '';
      else if (agent === '' && model.value === '') model.value = suggested;
    }
    setGiven({ agent, instructions });
  };
  return { given, note };
}

type MoreFieldsProps = Pick<ReturnType<typeof useRequest>, 'field'> & { draft: TurnRequest; schema: JsonField };

/** The rarely used fields. Their fold is open if the draft has any such field. */
function MoreFields({ draft, schema, field }: MoreFieldsProps) {
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

/** Reads the fields of the form as a request. An empty field is empty, null or undefined. */
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
    agent: textOf('agent'),
    variables: readVariables(data),
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

type ToolChoiceProps = Omit<Offer, 'providers' | 'agents'> & { refused: PawlError | null };

/** The tools of the turn. A refused tool takes the focus. Its path has its position in the chosen tools. */
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
