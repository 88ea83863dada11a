import type { makeRouter } from '../http/router.ts';

/** An OpenAPI document as the router writes it. */
type Described = ReturnType<ReturnType<typeof makeRouter>['getOpenAPI31Document']>;

type Headers = Record<string, object>;
type Answer = { headers?: Headers };
type Answers = Record<string, Answer>;

/**
 * Moves repeated refusals and headers of a document to its components, and replaces them by references. Otherwise two
 * fifths of the document would be repetitions.
 */
export function shareAnswers(document: Described): Described {
  const all = Object.values(document.paths ?? {}).flatMap((item) =>
    Object.values(item).flatMap((operation) => answersOf(operation)),
  );
  const responses = share('responses', all.flatMap(refusalsIn), (status) => `Refusal${status}`);
  const answers = [...all.flatMap((each) => Object.values(each)), ...Object.values(responses)];
  const headers = share(
    'headers',
    answers.flatMap(({ headers: given = {} }: Answer) => placesOf(given)),
    (name) => name,
  );
  return { ...document, components: { ...document.components, responses, headers } } as Described;
}

function answersOf(operation: unknown): Answers[] {
  const isOperation = typeof operation === 'object' && operation !== null && 'responses' in operation;
  return isOperation ? [operation.responses as Answers] : [];
}

function refusalsIn(answers: Answers): Place[] {
  return placesOf(answers).filter(({ key }) => /^[45]/.test(key));
}

/** A value in an object, by its key. */
type Place = { within: Record<string, object>; key: string };

function placesOf(within: Record<string, object>): Place[] {
  return Object.keys(within).map((key) => ({ within, key }));
}

/** Replaces equal values by references, and returns these values by name. */
function share(
  kind: 'responses' | 'headers',
  places: Place[],
  nameOf: (key: string) => string,
): Record<string, object> {
  const shared: Record<string, object> = {};
  for (const equal of Map.groupBy(places, ({ within, key }) => `${key} ${JSON.stringify(within[key])}`).values()) {
    const [first] = equal;
    const value = first?.within[first.key];
    if (!first || !value || equal.length === 1) continue;
    const name = freeName(nameOf(first.key), shared);
    shared[name] = value;
    for (const { within, key } of equal) within[key] = { $ref: `#/components/${kind}/${name}` };
  }
  return shared;
}

/** Returns an unused name for a value, with a number if others have the same name. */
function freeName(name: string, taken: Record<string, object>): string {
  if (!(name in taken)) return name;
  let number = 2;
  while (`${name}_${number}` in taken) number += 1;
  return `${name}_${number}`;
}
