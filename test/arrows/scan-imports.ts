import { maskCode } from './mask-code.ts';

const CLAUSE = /(?<![.\w$])(?:import|export)\b[\w$\s{},*]*?\bfrom\s*"(\d+)"/g;
const BARE = /(?<![.\w$])import\s*"(\d+)"/g;
const CALL = /(?<![.\w$])import\s*\(\s*(?:"(\d+)")?/g;

/**
 * What a file imports, in any form: static, for its effects, re-exported, as a type, at run time.
 * `null` stands for an import whose name is only known at run time.
 */
export function scanImports(source: string): (string | null)[] {
  const { code, texts } = maskCode(source);
  return [CLAUSE, BARE, CALL]
    .flatMap((form) => [...code.matchAll(form)])
    .sort((a, b) => a.index - b.index)
    .map(([, place]) => (place === undefined ? null : (texts[Number(place)] ?? null)));
}
