import { readFileSync } from 'node:fs';
import type OpenAI from 'openai';
import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { ResponseBody } from '#services/api/openai/responses/response-body.ts';
import { readBody, refusalOf } from '../api/openai/responses/read-body.ts';
import { createFields, fieldPage, type Standing } from './field-page.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const namesOf = (standing: Standing) =>
  createFields().flatMap((field) => (field.standing === standing ? [field.name] : []));

test('the table of response fields is generated from the schema', () => {
  expect(read('docs/responses-fields.md'), 'run `node test/docs/field-page.ts`').toBe(fieldPage());
  expect(createFields().filter(({ about }) => about === '')).toEqual([]);
});

test('the page of response fields has every field of OpenAI’s client', () => {
  type Missing = Exclude<keyof OpenAI.Responses.ResponseCreateParams, keyof z.input<typeof ResponseBody>>;

  expectTypeOf<Missing>().toBeNever();
});

test('the API refuses fields that the page calls refused, and accepts hints', async () => {
  for (const name of namesOf('refused')) {
    expect.soft(await refusalOf({ [name]: {} })).toMatchObject({ code: 'unsupported_parameter', param: name });
  }
  for (const name of namesOf('hint').filter((each) => !each.includes('.'))) {
    expect.soft(await readBody({ [name]: 'x' }), name).toMatchObject({ previousResponseId: null });
  }
  expect([namesOf('refused'), namesOf('hint')]).toEqual([
    expect.arrayContaining(['moderation']),
    expect.arrayContaining(['user']),
  ]);
});

test('docs/responses.md lists the clients with the versions that the tests run', () => {
  const { devDependencies } = JSON.parse(read('package.json'));
  const [, clients = ''] = read('docs/responses.md').split('\n## Clients\n');

  for (const name of ['openai', 'ai', '@ai-sdk/openai', '@openai/agents']) {
    expect.soft(clients, 'set the version in docs/responses.md').toContain(`\`${name}\` ${devDependencies[name]}`);
  }
});
