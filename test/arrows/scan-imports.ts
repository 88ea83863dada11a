import { maskCode } from './mask-code.ts';

/** One import as it is written; `name` is null where it is only known at run time. A type is gone before the program runs. */
export type ScannedImport = { name: string | null; isType: boolean };

const FORMS = [
  /(?<![.\w$])(?:import|export)\b(?<type>\s+type\s+[\w${*])?[\w$\s{},*]*?\bfrom\s*"(?<place>\d+)"/g,
  /(?<![.\w$])import\s*"(?<place>\d+)"/g,
  /(?<![.\w$])import\s*\(\s*(?:"(?<place>\d+)")?/g,
];

/** What a file imports, in any form: static, for its effects, handed on, as a type, at run time. */
export function scanImports(source: string): ScannedImport[] {
  const { code, texts } = maskCode(source);
  return FORMS.flatMap((form) => [...code.matchAll(form)])
    .sort((a, b) => a.index - b.index)
    .map(({ groups: { type, place } = {} }) => ({
      name: place === undefined ? null : (texts[Number(place)] ?? null),
      isType: type !== undefined,
    }));
}
