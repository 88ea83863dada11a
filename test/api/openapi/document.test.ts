import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { errorTypes } from '#services/api/http/errors.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { failureCodes, refusalCodes } from './codes-in-source.ts';
import { document, operations, registered, type Schema } from './document.ts';
import { walkSchemas } from './walk-schemas.ts';

const { schemas, examples } = document.components;

test('the OpenAPI document describes exactly the registered routes', () => {
  const described = operations.map(({ method, path }) => `${method} ${path}`);

  expect(new Set(registered)).toEqual(new Set(described));
});

test('every operation has a unique name, a summary and a tag', () => {
  const webhooks = Object.values(document.webhooks).map(({ post }) => post);
  const all = [...operations, ...webhooks];
  const tags = document.tags.map(({ name }) => name);

  expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
  expect(webhooks.map(({ operationId }) => operationId)).toContain('onTurnRequiresAction');
  for (const { operationId, tags: given } of all) {
    expect.soft(operationId).toMatch(/^[a-z]+([A-Z][a-z]*)*$/);
    expect.soft(tags, operationId).toEqual(expect.arrayContaining(given));
    expect.soft(given, operationId).toHaveLength(1);
  }
  for (const { operationId, summary } of operations) {
    expect.soft(summary, operationId).toMatch(/^[A-Z].{9,}[^.]$/);
  }
});

test('the document has shared refusals and headers only once', () => {
  const answers = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ responses }) => Object.entries(responses)),
  );
  const whole = answers.filter(([status, answer]) => Number(status) >= 400 && !('$ref' in answer));
  const headers = [...Object.values(document.components.responses), ...answers.map(([, answer]) => answer)].flatMap(
    (answer) => Object.entries(answer.headers ?? {}).filter(([, header]) => !('$ref' in header)),
  );

  for (const written of [whole, headers].map((list) => list.map((each) => JSON.stringify(each)))) {
    expect(new Set(written).size).toBe(written.length);
  }
  expect(Object.keys(document.components.headers)).toEqual(expect.arrayContaining(['Retry-After', 'x-request-id']));
});

test('every parameter, answer and field has a description', () => {
  const silent: string[] = [];
  const isDescribed = (schema: Schema) => 'description' in schema || '$ref' in schema || isLiteral(schema);
  for (const { operationId, parameters = [], responses } of operations) {
    silent.push(...parameters.filter((one) => !one.description).map(({ name }) => `${operationId} ${name}`));
    for (const [status, { description, headers = {} }] of Object.entries(responses)) {
      if (!description) silent.push(`${operationId} ${status}`);
      silent.push(...Object.entries(headers).flatMap(([name, header]) => (header.description ? [] : [name])));
    }
  }
  walkSchemas(document, ({ properties = {} }, place) => {
    for (const [name, field] of Object.entries(properties))
      if (!isDescribed(field)) silent.push([...place, name].join(' '));
  });

  expect(silent).toEqual([]);
});

test('a path names exactly its parameters', () => {
  for (const { path, parameters = [] } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const inPath = parameters.filter((one) => one.in === 'path');

    expect.soft(inPath.map(({ name }) => name)).toEqual(named);
    expect.soft(inPath.every(({ required }) => required)).toBe(true);
  }
});

test('every reference resolves, and every named part is used', () => {
  const led = new Set<string>();
  walkSchemas(document, ({ $ref, discriminator }) => {
    const { mapping = {} } = (discriminator ?? {}) as { mapping?: Record<string, string> };
    for (const place of [$ref, ...Object.values(mapping)]) if (typeof place === 'string') led.add(place);
  });
  for (const { responses } of operations) {
    for (const { content = {} } of Object.values(responses)) {
      for (const { examples = {} } of Object.values(content)) {
        for (const { $ref } of Object.values(examples)) led.add($ref);
      }
    }
  }

  const named = [
    ...Object.keys(schemas).map((name) => `#/components/schemas/${name}`),
    ...Object.keys(examples).map((name) => `#/components/examples/${name}`),
    ...Object.keys(document.components.responses).map((name) => `#/components/responses/${name}`),
    ...Object.keys(document.components.headers).map((name) => `#/components/headers/${name}`),
  ];
  expect(led).toEqual(new Set(named));
});

test('every part has only fields of OpenAPI 3.1', () => {
  const unknown = operations.flatMap(({ method, path, ...operation }) => {
    const { parameters = [], requestBody, responses } = operation;
    const answers = Object.values(responses);
    const contents = [requestBody, ...answers].flatMap((part) => Object.values(part?.content ?? {}));
    const headers = answers.flatMap((answer) => Object.values(answer.headers ?? {}));
    return [
      ...unknownOf([operation], 'operationId tags summary description security parameters requestBody responses'),
      ...unknownOf(parameters, 'name in description required schema style explode'),
      ...unknownOf(requestBody ? [requestBody] : [], 'description required content'),
      ...unknownOf(answers, 'description headers content'),
      ...unknownOf(contents, 'schema examples'),
      ...unknownOf(headers, 'description required schema'),
    ];
  });

  expect(document.openapi).toBe('3.1.0');
  expect(unknownOf([document], 'openapi info servers security tags components paths webhooks')).toEqual([]);
  expect(unknown).toEqual([]);
});

test('every schema is valid JSON Schema', () => {
  const ajv = new Ajv2020({ strict: false });
  const wrong = Object.entries(schemas).filter(([, schema]) => !ajv.validateSchema(schema));

  expect(wrong.map(([name]) => name)).toEqual([]);
});

test('the document has an example of every error code in the source, with its status', () => {
  const inSource = new Map(refusalCodes());
  const shown = Object.entries(examples).map(([code, { value }]) => {
    const { error } = value as { error: { code: string; type: string } };
    return [code, error] as const;
  });

  expect(new Set(shown.map(([code]) => code))).toEqual(new Set(inSource.keys()));
  for (const [code, error] of shown) {
    expect.soft(error).toMatchObject({ code, type: errorTypes[inSource.get(code) as keyof typeof errorTypes] });
  }
  const { code } = schemas.Error!.properties!.error!.properties!;
  expect(new Set(code!.enum as string[])).toEqual(new Set(inSource.keys()));
});

test('an answer has only error codes with its own status', () => {
  const statuses = new Map(refusalCodes());
  const wrong = operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, { content }]) =>
      Object.keys(content?.['application/json']?.examples ?? {})
        .filter((code) => statuses.get(code) !== Number(status))
        .map((code) => `${operationId} ${status} ${code}`),
    ),
  );

  expect(wrong).toEqual([]);
});

test('every route that changes data documents the refusal by a quota', () => {
  const changing = operations.filter(({ method, security }) => method !== 'GET' && security?.length !== 0);
  const silent = changing.filter(({ responses }) => {
    const examples = Object.keys(responses['429']?.content?.['application/json']?.examples ?? {});
    return !examples.includes('quota_exceeded');
  });

  expect(silent.map(({ operationId }) => operationId)).toEqual([]);
});

test('the document names every error code of a failed turn in the source', () => {
  const { code } = schemas.TurnError!.properties!;

  expect(new Set(code!.enum as string[])).toEqual(new Set(failureCodes()));
});

test('the routes without security in the document accept requests without a key', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-of-alpha', PAWL_METRICS_KEY: 'key' } });

  for (const { method, path, operationId, security } of operations) {
    const { status } = await fetch(harness.url + path.replaceAll(/[{}]/g, ''), { method });

    expect.soft(status === 401, operationId).toBe(security?.length !== 0);
  }
});

function isLiteral({ enum: values }: Schema): boolean {
  return Array.isArray(values) && values.length === 1;
}

/** Returns the fields that OpenAPI does not allow for such a part, among those in use. */
function unknownOf(parts: object[], known: string): string[] {
  return parts.flatMap((part) => Object.keys(part)).filter((field) => !known.split(' ').includes(field));
}
