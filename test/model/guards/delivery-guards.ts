import type { Guard } from './guard.ts';

const short = { calls: 'none' } as const;

/** Webhooks: R16. */
export const deliveryGuards = {
  endCreatesDelivery: {
    ...{ rule: 'R16', file: 'packages/core/checkpoint/turns/write-ending.ts', code: 'delivery as (createDeliveries(' },
    without: 'a delivery is written after the end that it reports',
    ...{ scene: short, faults: {}, caught: { broken: 'an end and its delivery were not written together' } },
  },
  deliveryIsDue: {
    ...{
      rule: 'R16',
      file: 'packages/core/checkpoint/sql/deliveries.ts',
      code: 'wanted.with_turn, now(), inMs(timing.graceMs)',
    },
    without: 'a delivery is not due',
    ...{ scene: short, faults: { flush: 1 }, caught: 'stuck' },
  },
  deliveryChecksLease: {
    ...{
      rule: 'R16',
      file: 'packages/core/checkpoint/webhooks/take-delivery.ts',
      code: 'and (lease_until is null or lease_until < now())',
    },
    without: 'a delivery is taken although another worker has its lease',
    ...{ scene: short, faults: { duplicate: 1 }, caught: { broken: 'two workers made the same delivery at once' } },
  },
  deliveryWaitsForEarlier: {
    ...{ rule: 'R16', file: 'packages/core/checkpoint/webhooks/take-delivery.ts', code: 'and not exists (earlier)' },
    without: 'a delivery overtakes the one before it',
    ...{
      scene: short,
      faults: { definite: 1, retry: 1 },
      caught: { broken: 'two webhooks of a turn came in the wrong order' },
    },
  },
  attemptCountsOnce: {
    ...{
      rule: 'R16',
      file: 'packages/core/checkpoint/webhooks/save-delivery.ts',
      code: "and status = 'pending' and attempts = attempt.attempts",
    },
    without: 'an attempt counts although another was counted meanwhile',
    ...{
      scene: short,
      faults: { stall: 1, refusal: 1 },
      caught: { broken: 'a delivery that was over became due again' },
    },
  },
  eventIdStays: {
    ...{
      rule: 'R16',
      file: 'packages/core/checkpoint/webhooks/take-delivery.ts',
      code: "json_build_object('id', eventId",
    },
    without: 'each attempt is an event of its own',
    ...{ scene: short, faults: { crash: 1 }, caught: { broken: 'one event was sent under two ids' } },
  },
} satisfies Record<string, Guard>;
