import { expect } from 'vitest';
import { findScript } from '#simulator/script.ts';
import { script, test } from './ask-simulator.ts';

const sim = { rounds: [{ say: 'a } " { b' }], answer: 'Yes "}".' };
const played = { kind: 'script', script: sim };

test('a script is found alone, in a fence and in prose', () => {
  const json = JSON.stringify({ sim });

  expect(findScript(json)).toMatchObject(played);
  expect(
    findScript(`Please do:\n\`\`\`json\n${JSON.stringify({ note: 1, sim }, null, 2)}\n\`\`\`\nThanks {you}.`),
  ).toMatchObject(played);
  expect(findScript(`Please play ${json} and nothing {else}.`)).toMatchObject(played);
});

test('text without a script has no script', () => {
  expect(findScript('The "sim" in my phone is broken {really}.')).toEqual({ kind: 'none' });
  expect(findScript('{"city":"Tokyo"}')).toEqual({ kind: 'none' });
  expect(findScript('')).toEqual({ kind: 'none' });
});

test('the error of a broken script names the flaw', () => {
  expect(findScript('{"sim": {"answer": "cut')).toMatchObject({ kind: 'broken', param: 'sim' });
  expect(findScript('{"sim": {"anwser": "typo"}}')).toMatchObject({
    kind: 'broken',
    message: expect.stringContaining('anwser'),
  });
  expect(findScript('{"sim": {"rounds": [{"tools": [{"name": 7}]}]}}')).toMatchObject({
    kind: 'broken',
    param: 'sim.rounds[0].tools[0].name',
  });
});

test('a broken script is answered with 400 in the form of the provider', async ({ model }) => {
  const error = await model.complete(script({ final: { fault: { kind: 'explode' } } })).catch((thrown) => thrown);

  expect(error).toMatchObject({
    status: 400,
    type: 'invalid_request_error',
    code: 'invalid_script',
    param: 'sim.final.fault.kind',
  });
});

test('a request without messages gets 400, and an unknown path gets 404', async ({ model }) => {
  const noMessages = await model.fetch({ messages: [] });
  const noJson = await model.fetch({}, { body: '{"model"' });
  const elsewhere = await fetch(`${model.simulator.baseUrl}/responses`);

  expect([noMessages.status, noJson.status, elsewhere.status]).toEqual([400, 400, 404]);
  expect(await noMessages.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
});
