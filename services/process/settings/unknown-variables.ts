import type { Settings } from '../settings.ts';
import { OTHER_VARIABLES } from './other-variables.ts';
import { Environment } from './variables.ts';

/** Returns a sentence for each unknown `PAWL_` variable, with the most similar known name and without the value. */
export function unknownVariables({ variables }: Pick<Settings, 'variables'>): string[] {
  const others = Object.values(OTHER_VARIABLES).flatMap((section) => Object.keys(section));
  const known = [...Object.keys(Environment.shape), ...others].filter((name) => name.startsWith('PAWL_'));
  const unknown = Object.keys(variables).filter((name) => name.startsWith('PAWL_') && !known.includes(name));
  return unknown.map((name) => {
    const [nearest = ''] = known.toSorted((one, other) => distance(one, name) - distance(other, name));
    const isNear = distance(nearest, name) <= Math.max(2, name.length / 4);
    return `${name} is not a variable of Pawl and is ignored.${isNear ? ` Did you mean ${nearest}?` : ''}`;
  });
}

/** Counts the letters to insert, remove or change until one word is the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, otherLetter] of [...other].entries()) {
      const changed = (row[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
