import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Manifest = { devDependencies?: unknown; packages?: { '': Manifest } };

/**
 * Returns the production packages of package-lock.json as CycloneDX JSON. `npm sbom --omit dev` drops packages that
 * development needs too, so a copy of both files omits the development packages.
 */
export function printSbom(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-sbom-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) {
      const manifest = JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')) as Manifest;
      delete manifest.devDependencies;
      delete manifest.packages?.[''].devDependencies;
      writeFileSync(join(folder, file), JSON.stringify(manifest));
    }
    const options = { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' } as const;
    return execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) process.stdout.write(printSbom());
