import type { Guard } from '../guard.ts';

const short = { calls: 'none' } as const;

/** Webhooks: R16. */
export const deliveryGuards = {
  endOwesDelivery: {
    ...{ rule: 'R16', file: 'packages/core/checkpoint/write-ending.ts', code: 'delivery as (oweDeliveries(' },
    without: 'a delivery is written after the end that it tells',
    ...{ scene: short, faults: {}, caught: { broken: 'an end and its delivery were not written together' } },
  },
  deliveryIsDue: {
    ...{
      rule: 'R16',
      file: 'packages/core/checkpoint/owe-deliveries.ts',
      code: 'wanted.with_turn, now(), inMs(timing.graceMs)',
    },
    without: 'a delivery is not due',
    ...{ scene: short, faults: { flush: 1 }, caught: 'stuck' },
  },
  deliveryMindsHold: {
    ...{
      rule: 'R16',
      file: 'packages/core/checkpoint/take-delivery.ts',
      code: 'and (held_until is null or held_until < now())',
    },
    without: 'a delivery is taken that another worker is at',
    ...{ scene: short, faults: { duplicate: 1 }, caught: { broken: 'two workers made the same delivery at once' } },
  },
  deliveryWaits: {
    ...{ rule: 'R16', file: 'packages/core/checkpoint/take-delivery.ts', code: 'and not exists (earlier)' },
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
      file: 'packages/core/checkpoint/save-delivery.ts',
      code: "and status = 'pending' and attempts = attempt.attempts",
    },
    without: 'an attempt counts although another was counted meanwhile',
    ...{
      scene: short,
      faults: { stall: 1, refusal: 1 },
      caught: { broken: 'a delivery that had come was made owed again' },
    },
  },
  eventIdStays: {
    ...{ rule: 'R16', file: 'packages/core/checkpoint/take-delivery.ts', code: "json_build_object('id', events.id" },
    without: 'each attempt is an event of its own',
    ...{ scene: short, faults: { crash: 1 }, caught: { broken: 'one event was sent under two ids' } },
  },
} satisfies Record<string, Guard>;
