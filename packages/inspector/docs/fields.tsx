import { type ComponentChildren, h } from 'preact';
import { useState } from 'preact/hooks';
import type { Field, Schema } from './description.ts';

const BOUNDS = /^(format|default|(min|max)\w+)$/;

export function Hint({ text }: { text: string }) {
  const parts = text.split('`').map((part, at) => (at % 2 ? h('code', null, part) : part));
  return h('span', { class: 'hint' }, ...parts);
}

type FoldProps = { head: ComponentChildren; text: string; children: ComponentChildren };
type FoldAttributes = { looks?: string; id?: string; hidden?: boolean };

/** A fold that renders its content when a person first opens it. */
export function Fold({ head, text, looks, children, ...rest }: FoldProps & FoldAttributes) {
  const [wasOpened, setOpened] = useState(false);
  return (
    <details class={looks} {...rest} onToggle={() => setOpened(true)}>
      <summary>
        {head} <Hint text={text} />
      </summary>
      {wasOpened && <div>{children}</div>}
    </details>
  );
}

/** Fields, parameters or headers, each with its name, type, bounds, description and inner fields. */
export function FieldList({ fields }: { fields: Field[] }) {
  if (fields.length === 0) return null;
  return (
    <ul class="fields">
      {fields.map(({ name, in: place, schema, required, description }) => (
        <li key={name}>
          <code class="name">{name}</code>
          {[place, typeOf(schema), required && 'required', boundsOf(schema)].map(
            (word) => word && <small key={word}>{word}</small>,
          )}
          <Hint text={description ?? (hasFields(schema) ? '' : schema.description) ?? ''} />
          {hasFields(schema) && <SchemaFold schema={schema} title="Fields" />}
        </li>
      ))}
    </ul>
  );
}

/** The fields of a schema, or its alternatives if it has several. */
export function SchemaFields({ schema }: { schema: Schema }) {
  const { properties, required = [], items, oneOf, anyOf } = schema;
  if (items) return <SchemaFields schema={items} />;
  if (properties) {
    const fields = Object.entries(properties);
    return (
      <FieldList fields={fields.map(([name, field]) => ({ name, schema: field, required: required.includes(name) }))} />
    );
  }
  const forms = (oneOf ?? anyOf ?? []).filter((form) => hasFields(form));
  return forms.length === 0 ? null : (
    <ul class="fields">
      {forms.map((form) => (
        <li key={typeOf(form)}>
          <SchemaFold schema={form} title={typeOf(form)} />
        </li>
      ))}
    </ul>
  );
}

function SchemaFold({ schema, title }: { schema: Schema; title: string }) {
  return (
    <Fold head={title} text={(schema.name && schema.description) || ''}>
      <SchemaFields schema={schema} />
    </Fold>
  );
}

/** Returns the values that a schema allows, in a few words. */
export function typeOf(schema: Schema): string {
  const { name, type = 'any JSON', properties, items, oneOf, anyOf } = schema;
  if (name !== undefined) return name;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const forms = oneOf ?? anyOf;
  if (forms) return forms.map((form) => typeOf(form)).join(' | ');
  const [kind, only] = Object.entries(properties ?? {}).find(([, field]) => field.enum?.length === 1) ?? [];
  if (only) return `${kind}: ${typeOf(only)}`;
  return [type]
    .flat()
    .map((word) => (word === 'array' && items ? `list of ${typeOf(items)}` : word))
    .join(' | ');
}

function boundsOf(schema: Schema): string {
  const known = Object.entries(schema).filter(([name]) => BOUNDS.test(name));
  return known.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ');
}

function hasFields({ properties, items, oneOf, anyOf }: Schema): boolean {
  return !!properties || [items ?? [], oneOf ?? [], anyOf ?? []].flat().some((inner) => hasFields(inner));
}
