import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '../harness/new-folder.ts';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

type Manifest = { apiVersion: string; kind: string };

/**
 * Returns the compiler's errors for manifests as values of the types of Kubernetes and operators: it refuses unknown
 * fields. `edit` changes the text first, for a test of the check itself.
 */
export async function compileManifests(manifests: Manifest[], edit = (text: string) => text): Promise<string> {
  await using folder = await newFolder('manifests');
  symlinkSync(MODULES, join(folder.path, 'node_modules'));
  const lines = manifests.map(
    ({ apiVersion, kind, ...rest }, index) =>
      `import type { I${kind} as I${index} } from '${modelsOf(apiVersion)}';\n` +
      `export const manifest${index}: I${index} = ${JSON.stringify({ apiVersion, kind, ...rest })};\n`,
  );
  writeFileSync(join(folder.path, 'manifests.ts'), edit(lines.join('')));
  writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
  return compile(folder.path, 'manifests.ts');
}

function modelsOf(apiVersion: string): string {
  const isOfPostgres = apiVersion.startsWith('postgresql.cnpg.io/');
  return `${isOfPostgres ? '@kubernetes-models/cloudnative-pg' : 'kubernetes-models'}/${apiVersion}`;
}

function compile(folder: string, file: string): string {
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2024',
    '--module',
    'nodenext',
    '--types',
    '',
  ];
  try {
    return execFileSync(join(MODULES, '.bin/tsc'), [...options, file], { cwd: folder, encoding: 'utf8' });
  } catch (error) {
    return String((error as { stdout: string }).stdout);
  }
}
