import { readFileSync } from 'node:fs';
import type OpenAI from 'openai';
import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { ResponseBody } from '#services/api/openai/responses/response-body.ts';
import { readBody, refusalOf } from '../api/openai/responses/read-body.ts';
import { createFields, fieldTable, type Standing } from './field-table.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const namesOf = (standing: Standing) =>
  createFields().flatMap((field) => (field.standing === standing ? [field.name] : []));

test('the table of fields is that of the schema', () => {
  expect(read('docs/responses-fields.md'), 'run `node test/docs/field-table.ts`').toBe(fieldTable());
  expect(createFields().filter(({ about }) => about === '')).toEqual([]);
});

test('every field that OpenAI’s client has is in the table', () => {
  type Missing = Exclude<keyof OpenAI.Responses.ResponseCreateParams, keyof z.input<typeof ResponseBody>>;

  expectTypeOf<Missing>().toBeNever();
});

test('what the table calls refused is refused, and what it calls a hint is taken', async () => {
  for (const name of namesOf('refused')) {
    expect.soft(await refusalOf({ [name]: {} })).toMatchObject({ code: 'unsupported_parameter', param: name });
  }
  for (const name of namesOf('hint').filter((each) => !each.includes('.'))) {
    expect.soft(await readBody({ [name]: 'x' }), name).toMatchObject({ previousResponseId: null });
  }
  expect([namesOf('refused'), namesOf('hint')]).toEqual([
    expect.arrayContaining(['prompt']),
    expect.arrayContaining(['user']),
  ]);
});

test('the clients are listed with the versions that the tests run', () => {
  const { devDependencies } = JSON.parse(read('package.json'));
  const [, clients = ''] = read('docs/responses.md').split('\n## Clients\n');

  for (const name of ['openai', 'ai', '@ai-sdk/openai', '@openai/agents']) {
    expect.soft(clients, 'set the version in docs/responses.md').toContain(`\`${name}\` ${devDependencies[name]}`);
  }
});
