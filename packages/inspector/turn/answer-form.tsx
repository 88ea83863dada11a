import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ActionButton } from '../base/buttons.tsx';
import { call as ask } from '../base/call.ts';
import { CodeBlock, prettyJson } from '../base/fact-list.tsx';
import { JsonField, JsonInput } from '../base/json-field.tsx';
import type { ListedTurn, ToolCall } from '../base/turn.ts';

type FormsProps = { turn: Pick<ListedTurn, 'id' | 'required_action'>; refresh: () => void };

/** A form for each call that waits for the approval of a person, or for the result of a client. */
export function AnswerForms({ turn: { id, required_action: action }, refresh }: FormsProps) {
  const post = async (route: string, body: unknown) => {
    await ask('POST', `/v1/turns/${id}/${route}`, { body });
    refresh();
  };
  return (
    <>
      {action?.approvals.map((call) => (
        <ApprovalForm
          key={`approval-${call.id}`}
          call={call}
          send={(decision) => post('approvals', { approvals: [{ tool_call_id: call.id, ...decision }] })}
        />
      ))}
      {action?.tool_outputs.map((call) => (
        <OutputForm
          key={`output-${call.id}`}
          call={call}
          send={(output) => post('tool_outputs', { tool_outputs: [{ tool_call_id: call.id, ...output }] })}
        />
      ))}
    </>
  );
}

type FormProps = { call: ToolCall; send: (answer: object) => Promise<unknown> };

function ApprovalForm({ call, send }: FormProps) {
  const reason = useRef<HTMLInputElement>(null);
  const [edited, setEdited] = useState<JsonField | null>(null);
  const decide = (decision: 'allow' | 'deny') => async () => {
    const changed = decision === 'allow' && edited?.isChanged ? { arguments: edited.read() } : {};
    const given = reason.current?.value ? { reason: reason.current.value } : {};
    try {
      await send({ decision, ...changed, ...given });
    } catch (error) {
      if (!edited?.refuse(error, 'approvals[0].arguments')) throw error;
    }
  };
  useEffect(() => edited?.field.current?.focus(), [edited]);
  return (
    <Form title={`Approve the call of ${call.name}?`}>
      <div class="given-arguments">
        {edited ? <JsonInput json={edited} /> : <Arguments call={call} />}
        {!edited && (
          <ActionButton looks="quiet" work={() => setEdited(new JsonField('Changed arguments', call.arguments))}>
            Change the arguments
          </ActionButton>
        )}
      </div>
      <label>
        Reason
        <input
          ref={reason}
          type="text"
          maxLength={2000}
          placeholder="Optional. The model reads the reason for a denial"
        />
      </label>
      <div class="actions">
        <ActionButton looks="primary" work={decide('allow')}>
          Approve
        </ActionButton>
        <ActionButton looks="danger" work={decide('deny')}>
          Deny
        </ActionButton>
      </div>
    </Form>
  );
}

function OutputForm({ call, send }: FormProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const warnedOf = useRef('');
  const read = () => field.current?.value ?? '';
  const submit = () => {
    const output = read();
    const problem = problemOf(output);
    if (problem !== null && warnedOf.current !== output) {
      warnedOf.current = output;
      throw new Error(`This result is not valid JSON: ${problem}. Correct it, or submit it again to send it as text.`);
    }
    return send({ output });
  };
  const submitError = () => send({ error: { category: 'unknown', message: read() || 'The call failed.' } });
  return (
    <Form title={`Give the result of ${call.name}`}>
      <Arguments call={call} />
      <label>
        Result
        <textarea ref={field} rows={4} placeholder="Text or JSON for the model" />
      </label>
      <div class="actions">
        <ActionButton looks="primary" work={submit}>
          Submit result
        </ActionButton>
        <ActionButton work={submitError}>Submit as error</ActionButton>
      </div>
    </Form>
  );
}

function Form({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel needs" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Arguments({ call }: { call: ToolCall }) {
  return <CodeBlock text={prettyJson(call.arguments)} label={`Arguments of ${call.name}`} />;
}

/** Returns the problem of a text that begins like a JSON object or list, or null for any other text. */
function problemOf(text: string): string | null {
  if (!/^\s*[{[]/.test(text)) return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
