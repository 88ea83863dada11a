import { globSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

/** The ways to the environment: `process.env`, `{ env } = process`, an import. */
const READS = [
  /\bprocess\s*\.\s*env\b/,
  /\bprocess\s*\[/,
  /\benv\b[^{}]*\}\s*=\s*process\b/,
  /\benv\b[^{}]*\}\s*from\s*['"]node:process['"]/,
];

export function findEnvReaders(): string[] {
  return globSync('{packages,services}/**/*.{ts,js,cjs,mjs}', { cwd: ROOT, exclude: ['packages/*/dist/**'] })
    .filter((path) => {
      const code = readFileSync(new URL(path, ROOT), 'utf8');
      return READS.some((pattern) => pattern.test(code));
    })
    .sort();
}
