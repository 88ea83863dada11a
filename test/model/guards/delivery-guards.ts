import { CHECKPOINT, type Guard, TURNS } from './guard.ts';

const TAKE = `${CHECKPOINT}/webhooks/take-deliveries.ts`;
const short = { calls: 'none' } as const;

/** The guards of webhooks: R16. */
export const deliveryGuards = {
  endCreatesDelivery: {
    ...{ rule: 'R16', file: `${TURNS}/commits/write-ending.ts`, code: 'delivery as (createDeliveries(' },
    without: 'a delivery is written after the end that it reports',
    ...{ scene: short, faults: {}, caught: 'an end and its delivery were written in two commits' },
  },
  deliveryIsDue: {
    ...{ rule: 'R16', file: `${CHECKPOINT}/sql/deliveries.ts`, code: 'wanted.with_turn, now(), now()' },
    without: 'a delivery is not due',
    ...{ scene: short, faults: {}, caught: 'stuck' },
  },
  deliveryChecksLease: {
    ...{ rule: 'R16', file: TAKE },
    code: 'id in (select id from chosen) and due_at <= now() for no key update skip locked',
    without: 'a delivery is taken although another worker has its lease',
    ...{ scene: short, faults: {}, caught: 'two workers made the same delivery at once' },
  },
  deliveryWaitsForEarlier: {
    ...{ rule: 'R16', file: TAKE, code: 'and not exists (earlier)' },
    without: 'a delivery overtakes the delivery before it',
    ...{ scene: short, faults: { definite: 1, retry: 1 }, caught: 'two webhooks of a turn arrived in the wrong order' },
  },
  attemptCountsOnce: {
    ...{ rule: 'R16', file: `${CHECKPOINT}/webhooks/save-delivery.ts` },
    code: "and status = 'pending' and attempts = attempt.attempts",
    without: 'an attempt is counted although another attempt has just been counted',
    ...{ scene: short, faults: { stall: 1, refusal: 1 }, caught: 'an ended delivery became due again' },
  },
  eventIdStays: {
    ...{ rule: 'R16', file: TAKE, code: "json_build_object('id', eventId" },
    without: 'each attempt sends its own event id',
    ...{ scene: short, faults: { crash: 1 }, caught: 'one event was sent under two ids' },
  },
} satisfies Record<string, Guard>;
