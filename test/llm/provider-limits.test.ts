import { expect, test } from 'vitest';
import { Misconfigured } from '#core/failure.ts';
import { readProviderLimits } from '#core/llm/by-model/provider-limits.ts';
import { limitsOfProviders } from '#core/llm/make/provider-config.ts';
import { configureProviders } from '#core/llm/providers.ts';

const KINDS = {
  ...{ openai: {}, 'openai-responses': {}, anthropic: {}, gemini: {} },
  'ai-sdk': { base_url: undefined, module: 'm', export: 'e' },
};
const KIND_NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[];
const WHOLE = 'give a whole number, 1 or more';
const FIELDS = 'give an object of requests_per_minute, tokens_per_minute and concurrency';
const PATTERN = 'name the model as provider/model, with * only as its last character';

const entry = (kind: keyof typeof KINDS, limits: unknown) => ({
  PAWL_PROVIDERS: JSON.stringify({ x: { kind, base_url: 'http://localhost:1/v1', ...KINDS[kind], limits } }),
});
const read = (given: unknown, ofProviders = {}) =>
  readProviderLimits(given === undefined ? undefined : JSON.stringify(given), ofProviders);
const namesFor = (given: unknown, model: string) =>
  read(given)
    .of(model)
    .map(({ name }) => name);

const problemOf = (act: () => unknown): Error => {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error('the limits were accepted');
};

test.each([
  ['an unknown field', { requests_per_minute: 1, requests_per_second: 1 }, '', FIELDS],
  ['requests_per_minute 0', { requests_per_minute: 0 }, '.requests_per_minute', WHOLE],
  ['requests_per_minute 1.5', { requests_per_minute: 1.5 }, '.requests_per_minute', WHOLE],
  ['tokens_per_minute -1', { tokens_per_minute: -1 }, '.tokens_per_minute', WHOLE],
  ['tokens_per_minute as a text', { tokens_per_minute: '1000' }, '.tokens_per_minute', WHOLE],
  ['concurrency null', { concurrency: null }, '.concurrency', WHOLE],
  ['concurrency 2.5', { requests_per_minute: 1, concurrency: 2.5 }, '.concurrency', WHOLE],
  ['an empty object', {}, '', 'give at least one limit'],
  ['a number', 500, '', FIELDS],
  ['a list', [1], '', FIELDS],
  ['null', null, '', FIELDS],
])('limits of a model and of a provider refuse %s', (_, limits, path, sentence) => {
  const ofModels = problemOf(() => read({ 'openai/*': { concurrency: 1 }, 'openai/gpt': limits }));

  expect(ofModels).toBeInstanceOf(Misconfigured);
  expect(ofModels.message).toBe(`PAWL_PROVIDER_LIMITS.openai/gpt${path}: ${sentence}`);
  if (limits === null) return;
  for (const kind of KIND_NAMES) {
    const env = entry(kind, limits);
    for (const act of [
      () => limitsOfProviders(env),
      () => configureProviders(env, { baseUrl: () => Promise.reject(new Error('the simulator was asked')) }),
    ])
      expect(problemOf(act).message).toBe(`PAWL_PROVIDERS.x.limits${path}: ${sentence}`);
  }
});

test.each(['gpt', 'openai', '*/gpt', 'openai/*-mini', 'openai/**', '', '/gpt', 'open ai/gpt'])(
  'limits refuse the pattern %j',
  (pattern) => {
    const problem = problemOf(() => read({ [pattern]: { concurrency: 1 } }));

    expect(problem).toBeInstanceOf(Misconfigured);
    expect(problem.message).toBe(`PAWL_PROVIDER_LIMITS.${pattern}: ${PATTERN}`);
  },
);

test.each([
  ['no json', 'PAWL_PROVIDER_LIMITS: this is not valid JSON'],
  ['[]', 'PAWL_PROVIDER_LIMITS: give JSON such as'],
  ['7', 'PAWL_PROVIDER_LIMITS: give JSON such as'],
  ['null', 'PAWL_PROVIDER_LIMITS: give JSON such as'],
])('limits refuse the setting %s', (text, named) => {
  const problem = problemOf(() => readProviderLimits(text));

  expect(problem).toBeInstanceOf(Misconfigured);
  expect(problem.message).toContain(named);
});

test('limits with one name in both settings are refused, and others are merged', () => {
  const ofProviders = limitsOfProviders(entry('openai', { concurrency: 2 }));

  expect(problemOf(() => read({ 'x/*': { requests_per_minute: 5 } }, ofProviders)).message).toBe(
    'PAWL_PROVIDER_LIMITS.x/*: PAWL_PROVIDERS also has limits for this provider. Set the limits in one place.',
  );
  expect(read({ 'x/a*': { requests_per_minute: 5 } }, ofProviders).of('x/a1')).toEqual([
    { name: 'x/*', concurrency: 2 },
    { name: 'x/a*', requests_per_minute: 5 },
  ]);
});

test.each([undefined, '', '  '])('no model has limits without a setting (%j)', (text) => {
  const limits = readProviderLimits(text);

  expect(limits.all).toEqual([]);
  expect(limits.of('openai/gpt')).toEqual([]);
});

test('a request must keep the limits of each pattern that matches its model', () => {
  const one = { requests_per_minute: 1 };
  const given = { '*': one, 'openai/*': one, 'openai/gpt-4*': one, 'openai/gpt-4.1': one, 'openai-eu/*': one };

  expect(namesFor(given, 'openai/gpt-4.1')).toEqual(['*', 'openai/*', 'openai/gpt-4*', 'openai/gpt-4.1']);
  expect(namesFor(given, 'openai/gpt-4.1-mini')).toEqual(['*', 'openai/*', 'openai/gpt-4*']);
  expect(namesFor(given, 'openai/o3')).toEqual(['*', 'openai/*']);
  expect(namesFor(given, 'openai-eu/o3')).toEqual(['*', 'openai-eu/*']);
  expect(namesFor({ 'openai/*': one }, 'Openai/o3')).toEqual([]);
});

test.each(KIND_NAMES)('limits in PAWL_PROVIDERS apply to all models of a provider of kind %s', (kind) => {
  const given = { requests_per_minute: 60, tokens_per_minute: 90_000, concurrency: 4 };
  const limits = readProviderLimits(undefined, limitsOfProviders(entry(kind, given)));

  expect(limits.of('x/some-model')).toEqual([{ name: 'x/*', ...given }]);
  expect(limits.of('x2/some-model')).toEqual([]);
});

test('a provider without limits has none', () => {
  expect(limitsOfProviders(entry('openai', undefined))).toEqual({});
  expect(limitsOfProviders({})).toEqual({});
});
