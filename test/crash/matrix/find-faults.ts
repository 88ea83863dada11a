import { isDeepStrictEqual } from 'node:util';
import type { Observed, ObservedCall, ObservedEndpoint, ObservedTurn, ObservedWebhook } from './observe.ts';

/** Tools that may be called only once. A second call of another tool has the same key. */
const ONLY_ONCE = new Set(['book', 'mail', 'allow_mail', 'cities__book']);

/** Events that describe the way to the outcome, and may differ. */
const INCIDENTAL = /^step\.retrying/;

/**
 * Returns the differences to a play without the death. Two differences are allowed: a call that must not run twice
 * may be unknown, and a request may have been repeated after its answer was lost.
 */
export function findFaults(now: Observed, undisturbed: Observed, repeats = 1): string[] {
  return [
    ...pairs(now.turns, undisturbed.turns).flatMap(([turn, before]) => faultsOfTurn(turn, before, repeats)),
    ...pairs(now.endpoints, undisturbed.endpoints).flatMap(([one, before]) => faultsOfEndpoint(one, before, repeats)),
    ...different('blobs', now.blobs, { ...undisturbed.blobs, stray: 0 }),
    ...different('agents', now.agents, undisturbed.agents),
    ...different('stray rows of work', now.strayWork, 0),
    ...different('number of turns', now.turns.length, undisturbed.turns.length),
    ...different('number of endpoints', now.endpoints.length, undisturbed.endpoints.length),
  ];
}

function faultsOfTurn(now: ObservedTurn, undisturbed: ObservedTurn, repeats: number): string[] {
  return [
    ...different('end', now.end, undisturbed.end),
    ...different('events', sortedEvents(now), sortedEvents(undisturbed)),
    ...different(
      'event numbers',
      now.numbers,
      now.numbers.map((_, index) => index + 1),
    ),
    ...different('calls', now.calls.map(nameOf), undisturbed.calls.map(nameOf)),
    ...pairs(now.calls, undisturbed.calls).flatMap(([call, before]) => faultsOfCall(call, before)),
    ...faultsOfModel(now, undisturbed),
    ...faultsOfWebhooks(now.webhooks, undisturbed.webhooks, repeats),
  ];
}

function faultsOfEndpoint(now: ObservedEndpoint, undisturbed: ObservedEndpoint, repeats: number): string[] {
  return [
    ...different('endpoint', now.state, undisturbed.state),
    ...faultsOfWebhooks(now.webhooks, undisturbed.webhooks, repeats),
  ];
}

/** Sorts the events, since the calls of a batch may be answered in a different order. */
function sortedEvents({ events }: ObservedTurn): string[] {
  return events.filter((event) => !INCIDENTAL.test(event)).sort();
}

function faultsOfCall(now: ObservedCall, undisturbed: ObservedCall): string[] {
  const { name, keys, ownKey } = now;
  const onlyOnce = ONLY_ONCE.has(name);
  const mayMiss = onlyOnce && now.isUnknown;
  const least = mayMiss ? 0 : undisturbed.keys.length;
  const most = undisturbed.keys.length + (onlyOnce ? 0 : 1);
  const foreign = keys.filter((key) => key !== ownKey);
  return [
    ...(mayMiss ? [] : different(`answer of ${name}`, now.answer, undisturbed.answer)),
    ...(foreign.length > 0 ? [`${name} was called with the keys ${foreign}`] : []),
    ...(keys.length < least || keys.length > most ? [`${name} was called ${keys.length} times`] : []),
  ];
}

/**
 * Returns the differences in model requests. A round and the summary before it are asked as without the death. A job
 * repeats its requests since the last checkpoint: all but the last request of a compacted round, and one of other
 * rounds.
 */
function faultsOfModel(now: ObservedTurn, undisturbed: ObservedTurn): string[] {
  const before = requestsOfRounds(undisturbed);
  const changed = [...requestsOfRounds(now)].filter(
    ([round, asked]) => kinds(asked) > Math.max(1, kinds(before.get(round) ?? [])),
  );
  const together = Map.groupBy(undisturbed.modelRequests, ({ round }) => Number.parseInt(round, 10));
  const again = Math.max(1, ...[...together.values()].map((asked) => asked.length - 1));
  const tooOften = now.modelRequests.length > undisturbed.modelRequests.length + again;
  return [
    ...changed.map(([round]) => `the second request of round ${round} was different`),
    ...faultsOfTiers(now, undisturbed),
    ...(tooOften
      ? [`the model was asked ${now.modelRequests.length} times instead of ${undisturbed.modelRequests.length}`]
      : []),
  ];
}

/** Checks that a round leaves its tier permanently: no attempt after the change asks on the tier before. */
function faultsOfTiers(now: ObservedTurn, undisturbed: ObservedTurn): string[] {
  const before = requestsOfRounds(undisturbed);
  return [...requestsOfRounds(now)].flatMap(([round, asked]) =>
    different(`tiers of round ${round}`, tiersOf(asked), tiersOf(before.get(round) ?? [])),
  );
}

/** Returns the tiers of a round in the order of its attempts, without repeats. */
function tiersOf(requests: ModelRequests): (string | null)[] {
  const tiers = requests.toSorted((one, other) => one.generation - other.generation).map(({ tier }) => tier);
  return tiers.filter((tier, index) => index === 0 || tier !== tiers[index - 1]);
}

type ModelRequests = ObservedTurn['modelRequests'];

function requestsOfRounds({ modelRequests }: ObservedTurn): Map<string, ModelRequests> {
  return Map.groupBy(modelRequests, ({ round }) => round);
}

/** Counts the different requests: two or more for a round with a compacted history or a changed model. */
function kinds(requests: ModelRequests): number {
  return new Set(requests.map(({ messages }) => messages)).size;
}

/**
 * Checks that each event has one id. A death repeats the deliveries under way, at most `repeats`, even after a later
 * delivery (R16).
 */
function faultsOfWebhooks(now: ObservedWebhook[], undisturbed: ObservedWebhook[], repeats: number): string[] {
  return [
    ...different('webhooks', eachOnce(now), eachOnce(undisturbed)),
    ...now.filter(({ isGenuine }) => !isGenuine).map(({ type }) => `the webhook of ${type} differs from its event`),
    ...(now.length > undisturbed.length + repeats
      ? [`${now.length} webhooks arrived instead of ${undisturbed.length}`]
      : []),
  ];
}

function eachOnce(webhooks: ObservedWebhook[]): string[] {
  return [...new Map(webhooks.map(({ id, type }) => [id, type])).values()].sort();
}

function nameOf({ name }: ObservedCall): string {
  return name;
}

function pairs<T>(now: T[], undisturbed: T[]): [T, T][] {
  return now.flatMap((one, index) => {
    const before = undisturbed[index];
    return before === undefined ? [] : [[one, before] satisfies [T, T]];
  });
}

function different(what: string, now: unknown, undisturbed: unknown): string[] {
  if (isDeepStrictEqual(now, undisturbed)) return [];
  return [`${what}: ${JSON.stringify(now)} instead of ${JSON.stringify(undisturbed)}`];
}
