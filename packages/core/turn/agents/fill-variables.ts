const VARIABLE_NAME = '[A-Za-z_][A-Za-z0-9_-]{0,63}';
const PLACE = new RegExp(`\\{\\{(${VARIABLE_NAME})\\}\\}`, 'g');

/** The form of the name of a variable. */
export const VARIABLE = new RegExp(`^${VARIABLE_NAME}$`);

/** The maximum number of variables of a request. */
export const MAX_VARIABLES = 64;

export type Variables = Record<string, string>;

/** Returns the names of the variables in a text, in their order, each once. */
export function variablesIn(text: string): string[] {
  return [...new Set([...text.matchAll(PLACE)].map(([, name = '']) => name))];
}

/** Returns the length of a text after its variables are replaced, without making that text. */
export function filledLength(text: string, values: Variables): number {
  let length = text.length;
  for (const [place, name = ''] of text.matchAll(PLACE))
    length += replacementOf(place, name, values).length - place.length;
  return length;
}

/** Replaces each `{{name}}` once. Values are never expanded. An unknown name stays. */
export function fillVariables(text: string, values: Variables): string {
  return text.replaceAll(PLACE, (place, name: string) => replacementOf(place, name, values));
}

function replacementOf(place: string, name: string, values: Variables): string {
  return Object.hasOwn(values, name) ? (values[name] ?? place) : place;
}
