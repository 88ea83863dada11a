import { isRecord } from '../../json.ts';
import { localizeReferences } from '../../json-schema/localize-references.ts';
import {
  INNER_KEYWORDS,
  listOf,
  recordOf,
  SAME_KEYWORDS,
  type Schema,
  type SchemaKeywords,
} from '../../json-schema/parts.ts';
import { quote, shorten, wordOf } from '../../text.ts';
import { requireUsable, type SchemaSource } from '../arguments/require-usable.ts';

/** A rule that a definition breaks: its path, and a sentence with advice. */
export type Problem = { path: string; message: string };

type SchemaPosition = { path: string; nesting: number; level: number; known: readonly Set<string>[]; check: CheckOne };
type CheckOne = (schema: Schema, path: string, known: readonly Set<string>[]) => Problem[];

const SIZE_LIMIT = 64 * 1024;
const NESTING_LIMIT = 10;
const LEVEL_LIMIT = 60;
const PATH_LIMIT = 500;

/** Returns the problems of a tool's argument schema, in reading order. */
export async function checkSchema(schema: Schema, path: string, source: SchemaSource): Promise<Problem[]> {
  const whole = checkWhole(schema);
  if (whole) return [{ path, message: whole }];
  const place = { path, nesting: 0, level: 0, known: [] };
  const problems = checkPart(schema, { ...place, check: checkOwnNames });
  // The next walk has no depth limit, so a schema that is nested too deep is refused first.
  const found =
    problems.length > 0 ? problems : checkPart(localizeReferences(schema), { ...place, check: checkReference });
  return found.length > 0 ? found : checkCompiles(schema, path, source);
}

function checkWhole(schema: Schema): string | null {
  const bytes = Buffer.byteLength(jsonOf(schema) ?? '');
  if (bytes === 0) return 'Nest the schema at most 10 levels deep.';
  if (bytes > SIZE_LIMIT) return `The schema has ${bytes} bytes. Make it smaller than 64 KiB.`;
  return schema.type === 'object' ? null : 'Give a JSON Schema with "type": "object".';
}

function checkPart(schema: Schema, position: SchemaPosition): Problem[] {
  if (position.nesting > NESTING_LIMIT || position.level > LEVEL_LIMIT) {
    return [{ path: position.path, message: 'Nest the schema at most 10 levels deep.' }];
  }
  const known = [...position.known, new Set(Object.keys(recordOf(schema.properties)))];
  const inside = { path: position.path, level: position.level + 1, check: position.check };
  // Only parts of a value count as nesting.
  return [
    ...position.check(schema, position.path, known),
    ...partsOf(schema, INNER_KEYWORDS, { ...inside, nesting: position.nesting + 1, known: [] }),
    ...partsOf(schema, SAME_KEYWORDS, { ...inside, nesting: position.nesting, known }),
  ];
}

function checkOwnNames(schema: Schema, path: string, known: readonly Set<string>[]): Problem[] {
  return [...checkRequired(schema, path, known), ...checkNames(schema, path)];
}

function checkRequired({ required }: Schema, path: string, known: readonly Set<string>[]): Problem[] {
  if (required === undefined) return [];
  if (!Array.isArray(required)) return [{ path: `${path}.required`, message: 'List the required names in an array.' }];
  const missing = required.find((name) => !known.some((names) => names.has(name)));
  if (missing === undefined) return [];
  return [{ path: `${path}.required`, message: `Add ${quote(wordOf(missing))} to properties, or do not require it.` }];
}

function checkNames({ properties }: Schema, path: string): Problem[] {
  if (!Object.hasOwn(recordOf(properties), '__proto__')) return [];
  return [{ path: `${path}.properties`, message: 'Rename the property "__proto__".' }];
}

function checkReference(schema: Schema, path: string): Problem[] {
  return ['$ref', '$dynamicRef', '$recursiveRef']
    .filter((keyword) => schema[keyword] !== undefined && !wordOf(schema[keyword]).startsWith('#'))
    .map((keyword) => ({
      path: `${path}.${keyword}`,
      message:
        'References to other documents are not supported. Refer to a position inside this schema, such as "#/$defs/name".',
    }));
}

function partsOf(schema: Schema, keywords: SchemaKeywords, position: SchemaPosition): Problem[] {
  const at = (step: string) => ({ ...position, path: shorten(`${position.path}.${step}`, PATH_LIMIT) });
  return [
    ...keywords.maps.flatMap((keyword) =>
      Object.entries(recordOf(schema[keyword])).flatMap(([name, part]) =>
        checkPart(recordOf(part), at(`${keyword}.${shorten(name)}`)),
      ),
    ),
    ...keywords.lists.flatMap((keyword) =>
      listOf(schema[keyword]).flatMap((part, index) => checkPart(recordOf(part), at(`${keyword}[${index}]`))),
    ),
    ...keywords.single.flatMap((keyword) => (isRecord(schema[keyword]) ? checkPart(schema[keyword], at(keyword)) : [])),
  ];
}

async function checkCompiles(schema: Schema, path: string, source: SchemaSource): Promise<Problem[]> {
  try {
    await requireUsable(schema, source);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ path, message: `Give a valid JSON Schema (2020-12, or a draft from 4 on): ${reason}.` }];
  }
}

function jsonOf(schema: Schema): string | undefined {
  try {
    return JSON.stringify(schema);
  } catch {
    return undefined;
  }
}
