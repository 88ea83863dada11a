import { maskCode } from './mask-code.ts';

/**
 * One import as it is written. `name` is null if it is known only at run time. A type is erased before the program
 * runs.
 */
export type ScannedImport = { name: string | null; isType: boolean };

const FORMS = [
  /(?<![.\w$])(?:import|export)\b(?<type>\s+type\s+[\w${*])?[\w$\s{},*]*?\bfrom\s*"(?<place>\d+)"/g,
  /(?<![.\w$])import\s*"(?<place>\d+)"/g,
  /(?<![.\w$])import\s*\(\s*(?:"(?<place>\d+)")?/g,
];

/** Returns the imports of a file in any form: static, for its effects, re-exported, as a type, at run time. */
export function scanImports(source: string): ScannedImport[] {
  const { code, texts } = maskCode(source);
  return FORMS.flatMap((form) => [...code.matchAll(form)])
    .sort((a, b) => a.index - b.index)
    .map(({ groups: { type, place } = {} }) => ({
      name: place === undefined ? null : (texts[Number(place)] ?? null),
      isType: type !== undefined,
    }));
}
