import { globSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);
const HIDDEN = ['.ci/*', '.editorconfig', '.dockerignore', '.npmrc', '.gitignore'];
const SKIPPED = ['node_modules', '.pawl', '.git', 'coverage', 'results', 'package-lock.json'];
const PLACE = /\/(?:home|root|Users|work|workspaces?)\/[\w.-]+/;
const NEIGHBOUR = /\.\.\/shared\b/;
const HAND = /\b(?:coding|ai)[ -](?:assistant|agent|helper)s?\b/i;

/** Returns lines that show the machine or the tool that wrote them, as `file:line: text`. */
export function findWorkplaceTraces(): string[] {
  return globSync(['**/*', ...HIDDEN], {
    cwd: ROOT,
    withFileTypes: true,
    exclude: ({ name }) => SKIPPED.includes(name),
  })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
    .flatMap((file) => workplaceTracesIn(file));
}

function workplaceTracesIn(file: string): string[] {
  const path = file.slice(ROOT.pathname.length);
  // Recorded answers of providers may be beside the repository. Only the tests that replay these answers may name
  // them.
  const patterns = path.startsWith('test/') ? [PLACE, HAND] : [PLACE, NEIGHBOUR, HAND];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      patterns.some((pattern) => pattern.test(line)) ? [`${path}:${index + 1}: ${line.trim().slice(0, 100)}`] : [],
    );
}
