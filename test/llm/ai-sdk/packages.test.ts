import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Misconfigured } from '#core/failure.ts';
import { loadPackages } from '#core/llm/ai-sdk/package/load-packages.ts';
import { makePackage } from '#core/llm/ai-sdk/package/package-model.ts';
import { configureProviders, loadProviderPackages } from '#core/llm/providers.ts';

/** A folder in which an operator has installed packages. */
let folder: string;

const model = (version: string) => `{ specificationVersion: '${version}', supportedUrls: {}, doStream() {} }`;
const provider = (version: string, own = '') =>
  `export const createIt = () => ({ ${own} languageModel: () => (${model(version)}) });`;

const MODULES: Record<string, string> = {
  current: provider('v4', "specificationVersion: 'v4',"),
  before: provider('v3', "specificationVersion: 'v3',"),
  older: provider('v2'),
  unsaid: provider('v4'),
  strange: 'export const createIt = () => 7; export const createOther = () => 8; export const word = "x";',
  refusing: 'export const createIt = ({ region }) => { throw new Error("no region " + region); };',
  keyless: `export const createIt = () => {
    const error = new Error('The setting is missing. Set IT_KEY.');
    error.name = 'AI_LoadSettingError';
    throw error;
  };`,
  broken: 'import "not-there-at-all";',
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-packages-'));
  for (const [name, code] of Object.entries(MODULES)) {
    const path = join(folder, 'node_modules', name);
    await mkdir(path, { recursive: true });
    // Many packages allow `import` only.
    const manifest = { name, type: 'module', exports: { '.': { import: './index.js' } } };
    await writeFile(join(path, 'package.json'), JSON.stringify(manifest));
    await writeFile(join(path, 'index.js'), code);
  }
});

afterAll(() => rm(folder, { recursive: true }));

async function make(module: string, exported = 'createIt') {
  const packages = await loadPackages([{ name: 'mine', module, exported }], folder);
  return makePackage('mine', packages.get('mine')!, { region: 'a-secret-value' });
}

test.each([
  ['current', 'v4'],
  ['before', 'v3'],
  ['unsaid', 'v4'],
])('an installed package is found and makes a provider: %s', async (module, version) => {
  const made = await make(module);

  expect(made.version).toBe(version);
  expect(made.modelOf('some')).toMatchObject({ specificationVersion: version });
});

test.each([
  ['not-there', 'createIt', 'PAWL_PROVIDERS.mine.module: this package is not installed. Install it with npm'],
  ['./nowhere.js', 'createIt', 'PAWL_PROVIDERS.mine.module: this package is not installed'],
  ['broken', 'createIt', 'PAWL_PROVIDERS.mine.module: this package could not be loaded (ERR_MODULE_NOT_FOUND).'],
  ['strange', 'createThis', 'PAWL_PROVIDERS.mine.export: the package has no export of this name'],
  ['strange', 'createThis', 'It has createIt, createOther.'],
  ['strange', 'toString', 'PAWL_PROVIDERS.mine.export: the package has no export of this name'],
  ['strange', 'word', 'PAWL_PROVIDERS.mine.export: this export is not a function'],
  ['strange', 'createIt', 'PAWL_PROVIDERS.mine.export: this function does not return a provider of the AI SDK'],
  ['older', 'createIt', "implements version v2 of the AI SDK's interface. Pawl supports v4 and v3."],
  ['refusing', 'createIt', 'PAWL_PROVIDERS.mine.options: the package refused the options (Error).'],
  [
    'keyless',
    'createIt',
    'PAWL_PROVIDERS.mine.options: the package refused the options: The setting is missing. Set IT_KEY.',
  ],
])('the package %s with the export %s is refused: %s', async (module, exported, sentence) => {
  const failure = await make(module, exported).catch((error: unknown) => error as Misconfigured);

  expect(failure).toBeInstanceOf(Misconfigured);
  expect(failure).toMatchObject({ message: expect.stringContaining(sentence) });
  expect(failure).not.toMatchObject({ message: expect.stringContaining('a-secret-value') });
});

const sim = { baseUrl: async () => 'http://127.0.0.1:9/v1' };
const mistral = { kind: 'ai-sdk', module: '@ai-sdk/mistral', export: 'createMistral' };
const configure = async (fields: object) => {
  const env = { PAWL_PROVIDERS: JSON.stringify({ mine: { ...mistral, ...fields } }) };
  return configureProviders(env, sim, await loadProviderPackages(env));
};

test('a package beside Pawl is found and listed as a provider', async () => {
  const providers = await configure({ structured_outputs: false });

  expect(providers.list()).toContainEqual(
    expect.objectContaining({ name: 'mine', wire: 'ai-sdk', tools: true, structured_outputs: false }),
  );
});

test.each([
  [{ module: '' }, 'PAWL_PROVIDERS.mine.module: name the npm package'],
  [{ module: undefined }, 'PAWL_PROVIDERS.mine.module: name the npm package'],
  [{ export: undefined }, 'PAWL_PROVIDERS.mine.export: name the function that makes a provider'],
  [{ options: 'a-secret-value' }, 'PAWL_PROVIDERS.mine.options: give the options of the function as an object'],
  [{ base_url: 'a-secret-value' }, 'PAWL_PROVIDERS.mine: Unrecognized key: "base_url"'],
  [{ kind: 'ai' }, 'PAWL_PROVIDERS.mine.kind: give one of openai, openai-responses, anthropic, gemini, ai-sdk'],
])('a wrong setting is named, and its value is not shown: %j', async (fields, sentence) => {
  const failure = await configure(fields).catch((error: unknown) => error as Misconfigured);

  expect(failure).toBeInstanceOf(Misconfigured);
  expect(failure).toMatchObject({ message: sentence });
});

test('no package is loaded if the settings name no package', async () => {
  expect(await loadProviderPackages({ PAWL_PROVIDERS: '{}' })).toEqual(new Map());
});
