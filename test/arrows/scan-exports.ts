import { maskCode } from './mask-code.ts';

const DECLARED = /(?<![.\w$])export\s+(?:default\s+)?(?:async\s+)?(?:function\s*\*?|const|let|class|type)\s+([\w$]+)/g;
const FROM = /(?<![.\w$])export\b[\w$\s{},*]*?\bfrom\s*"/;

/** Returns the names that a file exports, and whether it re-exports names of other files. */
export function scanExports(source: string): { names: string[]; handsOn: boolean } {
  const { code } = maskCode(source);
  const names = [...code.matchAll(DECLARED)].map(([, name]) => name ?? '');
  return { names: [...new Set(names)], handsOn: FROM.test(code) };
}
