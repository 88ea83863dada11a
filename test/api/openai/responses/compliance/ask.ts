import { expect } from 'vitest';
import type { Harness } from '#test/harness/create-harness.ts';
import { problemsAt } from '../../../openapi/strictly.ts';
import { StreamEvent } from './events.ts';
import { CompactResource, Resource } from './resource.ts';

type Base = '/v1' | '/openai/v1';

/**
 * Sends requests for responses under a base. Checks every answer and event against the shapes here and the OpenAPI
 * document, and collects the types of the events.
 */
export function responsesOf({ url }: Pick<Harness, 'url'>, base: Base = '/v1') {
  const received = new Set<string>();
  const post = (body: object, route = '/responses') =>
    fetch(`${url}${base}${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test', ...body }),
    });
  const create = async (body: object) => resourceOf(await readOk(await post(body)));
  const compact = async (body: object) => compactedOf(await readOk(await post(body, '/responses/compact')));
  const retrieve = async (id: string) => resourceOf(await readOk(await fetch(`${url}${base}/responses/${id}`)));
  const follow = async (id: string) => eventsOf(await readOk(await fetch(`${url}${base}/responses/${id}?stream=true`)));

  /** Streams a create. Expects the last event to equal the answer of a retrieve. */
  async function stream(body: object): Promise<{ events: StreamEvent[]; response: Resource }> {
    const events = eventsOf(await readOk(await post({ ...body, stream: true })));
    const last = events.at(-1);
    if (!last || !('response' in last)) throw new Error(`the last event is a ${last?.type}`);
    expect(await retrieve(last.response.id)).toEqual(last.response);
    return { events, response: last.response };
  }

  function eventsOf(text: string): StreamEvent[] {
    const frames = text.split('\n\n').filter((frame) => frame && !frame.startsWith(':'));
    expect(frames.pop()).toBe('data: [DONE]');
    const events = checkedEvents(frames.map(dataOf));
    for (const { type } of events) received.add(type);
    return events;
  }

  return { create, compact, retrieve, follow, stream, received };
}

/** Returns events after it has checked them against the shapes here, the document, and the order of their numbers. */
export function checkedEvents(events: unknown[]): StreamEvent[] {
  for (const event of events) {
    const shown = JSON.stringify(event);
    expect(problemsAt(['components', 'schemas', 'ResponseStreamEvent'], event), shown).toEqual([]);
    expect(StreamEvent.safeParse(event).error?.issues ?? [], shown).toEqual([]);
  }
  const checked = events as StreamEvent[];
  const numbers = checked.map(({ sequence_number }) => sequence_number);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
  return checked;
}

function dataOf(frame: string): unknown {
  const [, type, data] = /^event: (.+)\ndata: (.+)$/.exec(frame) ?? [];
  const event: unknown = JSON.parse(data ?? 'null');
  expect(event).toMatchObject({ type });
  return event;
}

function resourceOf(text: string): Resource {
  const response: unknown = JSON.parse(text);
  expect(problemsAt(['components', 'schemas', 'Response'], response), text).toEqual([]);
  return Resource.parse(response);
}

function compactedOf(text: string): CompactResource {
  const compacted: unknown = JSON.parse(text);
  expect(problemsAt(['components', 'schemas', 'ResponseCompaction'], compacted), text).toEqual([]);
  return CompactResource.parse(compacted);
}

async function readOk(answer: Response): Promise<string> {
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return text;
}
