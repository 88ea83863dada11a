/** @import { Field, Schema } from './described.js' */
import { element } from '../inspector/base/element.js';
import { nameOf, resolve } from './described.js';
import { hint } from './hint.js';

const BOUNDS = /^(format|default|(min|max)\w+)$/;

/**
 * Fields, parameters or headers: each with its name, its type, its bounds, what it is and what is in it.
 * @param {Field[]} fields
 */
export function fieldsView(fields) {
  const items = fields.map(({ name, in: place, schema, required, description = schema.description }) =>
    element(
      'li',
      {},
      element('code', { class: 'name' }, name),
      [place, typeOf(schema), required && 'required', boundsOf(schema)].map(
        (word) => word && element('small', {}, word),
      ),
      description && hint(description),
      hasFields(schema) && unfold(schema, 'Fields'),
    ),
  );
  return element('ul', { class: 'fields' }, items);
}

/**
 * What is in a schema: its fields, or its forms where it has several; null where there is nothing more to say.
 * @param {Schema} schema
 * @returns {HTMLElement | null}
 */
export function schemaView(schema) {
  const { properties, required = [], items, oneOf, anyOf } = resolve(schema);
  if (items) return schemaView(items);
  if (properties) {
    const fields = Object.entries(properties);
    return fieldsView(fields.map(([name, field]) => ({ name, schema: field, required: required.includes(name) })));
  }
  const forms = (oneOf ?? anyOf ?? []).filter((form) => hasFields(form));
  if (forms.length === 0) return null;
  return element(
    'ul',
    { class: 'fields' },
    forms.map((form) => element('li', {}, unfold(form, typeOf(form)))),
  );
}

/**
 * What a schema allows, in a few words.
 * @param {Schema} schema
 * @returns {string}
 */
export function typeOf(schema) {
  const { type = 'any JSON', properties, items, oneOf, anyOf } = schema;
  const name = nameOf(schema);
  if (name !== null) return name;
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

/** @param {Schema} schema */
function boundsOf(schema) {
  const known = Object.entries(schema).filter(([name]) => BOUNDS.test(name));
  return known.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ');
}

/** @type {(schema: Schema) => boolean} */
function hasFields(schema) {
  const { properties, items, oneOf, anyOf } = resolve(schema);
  return !!properties || [items ?? [], oneOf ?? [], anyOf ?? []].flat().some((inner) => hasFields(inner));
}

/**
 * What is in a schema, made when it is first looked at.
 * @param {Schema} schema
 * @param {string} label
 */
function unfold(schema, label) {
  const { description } = nameOf(schema) === null ? {} : resolve(schema);
  const summary = element('summary', {}, label, ' ', description && hint(description));
  const details = element('details', { ontoggle: () => details.childElementCount === 1 && fill() }, summary);
  const fill = () => details.append(schemaView(schema) ?? '');
  return details;
}
