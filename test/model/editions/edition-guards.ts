import type { Left } from '../explore/plain-model.ts';
import type { GuardWords } from '../guards/guard.ts';
import type { EditionFault } from './edition-state.ts';

/** One condition that editions depend on, and the faults that show its lack. */
export type EditionGuard = GuardWords & { faults: Left<EditionFault>; caught: { broken: string } };

const twoTold = { broken: 'two runs told pieces under one edition' };

/** What keeps two runs from telling pieces of a round under one number: R18. */
export const editionGuards = {
  leaseRaisesEdition: {
    ...{
      rule: 'R18',
      file: 'packages/core/checkpoint/turns/lease.ts',
      code: 'leaseFor(sql"runId"), starts = starts + 1, edition = edition + 1',
    },
    without: 'a lease is taken without an edition of its own',
    ...{ faults: { crash: 1 }, caught: { broken: 'a reply was saved under the edition of another run' } },
  },
  unleasedRunTellsNothing: {
    ...{
      rule: 'R18',
      file: 'services/worker/round/publish-round.ts',
      code: 'if (edition === null || isOver) return;',
    },
    without: 'a run that started without a lease tells pieces as edition 0',
    ...{ faults: { duplicate: 1 }, caught: twoTold },
  },
  saveReadsLockedEdition: {
    ...{
      rule: 'R18',
      file: 'packages/core/checkpoint/turns/commits/write-reply.ts',
      code: 'edition = editionNext(savedEdition)',
    },
    without: 'a reply is saved under the edition that its run has read',
    ...{ faults: { duplicate: 1 }, caught: { broken: 'a reply was saved under the edition of another run' } },
  },
  saveIsNewest: {
    ...{
      rule: 'R18',
      file: 'packages/core/checkpoint/sql/edition.ts',
      code: 'case when "ownEdition" = work.edition - 1 then "ownEdition" else work.edition end',
    },
    without: 'a reply is saved under the edition of its run, however many came since',
    ...{
      faults: { stall: 1 },
      caught: { broken: 'a piece was told under an edition above the saved one' },
    },
  },
  toldEditionIsKept: {
    ...{
      rule: 'R18',
      file: 'packages/core/checkpoint/sql/edition.ts',
      code: 'case when not told and "ownEdition" = work.edition - 1 then "ownEdition" else work.edition end',
    },
    without: 'a round that is put off gives its edition back although pieces of it were told',
    ...{ faults: { later: 1 }, caught: twoTold },
  },
  onlyNewestIsReturned: {
    ...{
      rule: 'R18',
      file: 'packages/core/checkpoint/sql/edition.ts',
      code: 'case when not told and "ownEdition" = work.edition - 1 then "ownEdition" else work.edition end',
    },
    without: 'a round that is put off gives its edition back although there is a later one',
    ...{
      faults: { duplicate: 1, stall: 2, later: 1 },
      caught: { broken: 'a reply was saved under a lower edition than one that was told' },
    },
  },
  untoldEditionIsReturned: {
    ...{
      rule: 'R18',
      file: 'packages/core/checkpoint/sql/edition.ts',
      code: 'case when not told and "ownEdition" = work.edition - 1 then "ownEdition" else work.edition end',
    },
    without: 'a round that is put off before its first piece keeps its edition',
    ...{
      faults: { later: 1 },
      caught: { broken: 'a round that was put off before its first piece became a new edition' },
    },
  },
  retryKeepsEdition: {
    ...{
      rule: 'R18',
      file: 'packages/core/checkpoint/turns/commits/write-ending.ts',
      code: 'then 1 else next_edition + 1 end',
    },
    without: 'a reopened turn begins its editions anew',
    ...{ faults: { definite: 1, retry: 1 }, caught: twoTold },
  },
} satisfies Record<string, EditionGuard>;

/** Which guards are up. */
export type EditionGuards = Readonly<Record<keyof typeof editionGuards, boolean>>;
