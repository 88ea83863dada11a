import { globSync, readFileSync } from 'node:fs';
import { type ErrorCode, errorCodes } from '#services/api/schemas/errors/error-codes.ts';

const ROOT = new URL('../../../', import.meta.url);

/** Codes for the expressions in place of a code in `new RequestRefused`. Codes of helpers are read below. */
const BY_EXPRESSION: Record<string, string[]> = { 'filled.code': ['unknown_secret', 'secret_not_allowed'], code: [] };

/** Returns every code of a refusal in the source, with its status. */
export function refusalCodes(): [code: string, status: number][] {
  const refused = matches(/new RequestRefused\(\s*(\d+),\s*([^,]+),/g).flatMap(([, status, code]) =>
    codesOf(code!).map((one): [string, number] => [one, Number(status)]),
  );
  const asExample = matches(/\brefused\('(\w+)'\)/g).map(([, code]): [string, number] => [
    code!,
    errorCodes[code as ErrorCode].status,
  ]);
  const conflicts = matches(/\bconflict\(\s*'(\w+)'/g).map(([, code]): [string, number] => [code!, 409]);
  const failed = matches(/fail\(c, (\d+), \{\s*code: '(\w+)'/g).map(([, status, code]): [string, number] => [
    code!,
    Number(status),
  ]);
  const answered = matches(/: AnsweredError \| null \{[\s\S]*?return \{ code: '(\w+)'/g).map(
    ([, code]): [string, number] => [code!, 500],
  );
  return [...refused, ...asExample, ...conflicts, ...failed, ...answered];
}

/** Returns every code of a failed turn in the source. */
export function failureCodes(): string[] {
  const meanings = readFileSync(new URL('packages/core/llm/errors/name-failure.ts', ROOT), 'utf8').split(
    'const MEANINGS',
  )[1]!;
  return [
    ...meanings.matchAll(/^ {2}(\w+): \{$/gm),
    ...matches(/new ProviderFailed\(\s*'(\w+)'/g),
    ...matches(/type: '(?:internal|output_schema)_error'[^,]*,\s*code: '(\w+)'/g),
  ].map(([, code]) => code!);
}

function codesOf(expression: string): string[] {
  const literal = /^'(\w+)'$/.exec(expression)?.[1];
  const codes = literal === undefined ? BY_EXPRESSION[expression] : [literal];
  if (!codes) throw new Error(`which codes are these: new RequestRefused(…, ${expression}, …)`);
  return codes;
}

function matches(pattern: RegExp): RegExpMatchArray[] {
  return globSync(['packages/core/**/*.ts', 'services/**/*.ts'], { cwd: ROOT })
    .map((path) => readFileSync(new URL(path, ROOT), 'utf8'))
    .flatMap((source) => [...source.matchAll(pattern)]);
}
