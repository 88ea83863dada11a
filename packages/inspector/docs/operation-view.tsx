import type { ComponentChildren } from 'preact';
import { CopyButton } from '../base/buttons.tsx';
import { CodeBlock } from '../base/fact-list.tsx';
import { curlCommands } from './curl-commands.ts';
import { type Answer, examplesOf, type Operation, type Schema } from './description.ts';
import { FieldList, Fold, Hint, SchemaFields, typeOf } from './fields.tsx';

export function OperationView({ operation, hidden }: { operation: Operation; hidden: boolean }) {
  const { method, path, operationId, summary } = operation;
  const head = (
    <>
      <MethodBadge method={method} /> <code class="path">{path}</code>
    </>
  );
  return (
    <Fold head={head} text={summary} looks="operation" id={operationId} hidden={hidden}>
      <Parts operation={operation} />
    </Fold>
  );
}

export function MethodBadge({ method }: { method: string }) {
  return <span class={`method ${method.toLowerCase()}`}>{method}</span>;
}

function Parts({ operation }: { operation: Operation }) {
  const { description = '', parameters = [], requestBody, responses, security, isWebhook, operationId } = operation;
  return (
    <>
      <Hint text={security?.length === 0 ? `${description} This operation needs no key.` : description} />
      {parameters.length > 0 && (
        <Section title="Parameters">
          <FieldList fields={parameters} />
        </Section>
      )}
      {Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => (
        <Section key={type} title="Body">
          <Body schema={schema} />
        </Section>
      ))}
      <Section title="Answers">
        {Object.entries(responses).map(([status, answer]) => (
          <AnswerFold key={status} status={status} answer={answer} />
        ))}
      </Section>
      {!isWebhook && (
        <Section title="Try it">
          {curlCommands(operation).map((command, at) => (
            <div key={command} class="command">
              <CodeBlock text={command} label={`Command ${at + 1} of ${operationId}`} />
              <CopyButton text={() => command} label="Copy the command">
                Copy
              </CopyButton>
            </div>
          ))}
        </Section>
      )}
    </>
  );
}

function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section>
      <h3 class="hint">{title}</h3>
      {children}
    </section>
  );
}

function Body({ schema, label = '' }: { schema: Schema; label?: string }) {
  const [example] = examplesOf(schema);
  return (
    <>
      <Hint text={`${label} ${typeOf(schema)}`} />
      <SchemaFields schema={schema} />
      {example !== undefined && (
        <CodeBlock text={JSON.stringify(example, null, 2)} label={`Example of ${typeOf(schema)}`} />
      )}
    </>
  );
}

function AnswerFold({ status, answer }: { status: string; answer: Answer }) {
  const { description, headers = {}, content = {} } = answer;
  const fields = Object.entries(headers).map(([name, header]) => ({ ...header, name, in: 'header' }));
  const bodies = Object.entries(content);
  const errors = bodies.flatMap(([, { examples = {} }]) => Object.values(examples).map(({ value }) => value.error));
  const codes = errors.map(({ code, message }) => ({ name: code, description: message, schema: { type: '' } }));
  return (
    <Fold head={<strong>{status}</strong>} text={description} looks={/^[45]/.test(status) ? 'refused' : 'fine'}>
      <FieldList fields={fields} />
      <FieldList fields={codes} />
      {bodies.map(
        ([type, { schema, examples }]) =>
          (!examples || schema.anyOf) && <Body key={type} schema={schema} label={type} />,
      )}
    </Fold>
  );
}
