import type { History } from '../history.ts';
import type { Options, Verdict } from '../read-options.ts';
import { brokenVersions, changedVersions } from './agents.ts';
import { keptResponses, repeatedRequests } from './background.ts';
import { leftRequests, miscountedUsage, oddRequests, repeatedInBatches } from './batches.ts';
import { deceivedClients, gappedEvents, mixedRounds } from './events.ts';
import { deadProcesses, emptyFaults, lastingFaults } from './faults.ts';
import { changedHistories, endlessForks, repeatedByReruns, shownDeletions } from './forks.ts';
import { lostMessages, mixedMessages, unheardMessages } from './inputs.ts';
import { overlongLeases } from './leases.ts';
import { deceivedReaders, keptContent, oddAdoptions, oddAnswersOfCallers } from './responses.ts';
import { forkedHistories, gappedRounds, strayRounds } from './rounds.ts';
import { lateStarts, overfullProjects } from './slots.ts';
import { strayTiers } from './tiers.ts';
import { changedCalls, inventedResults, openCalls, repeatedBookings } from './tool-calls.ts';
import {
  brokenLimits,
  doubledTurns,
  lostTurns,
  oddAnswers,
  oddEnds,
  partedWork,
  refusedTurns,
  stuckTurns,
  wrongEnds,
} from './turns.ts';
import { forgedWebhooks, hastyWebhooks, missedWebhooks, oddDeliveries } from './webhooks.ts';

/** One promise, and each time it was broken. Complaints about a `reported` promise fail no run. */
export type CheckedInvariant = {
  id: string;
  promise: string;
  complaints: string[];
  status: 'kept' | 'broken' | 'reported';
};

/** Checks a history against all invariants. The verdict decides which broken promises are only reported. */
export function checkInvariants(history: History, { verdict }: Pick<Options, 'verdict'>): CheckedInvariant[] {
  return allInvariants.map(({ id, promise, check, kind = 'of-pawl' }) => {
    const complaints = check(history);
    if (complaints.length === 0) return { id, promise, complaints, status: 'kept' };
    return { id, promise, complaints, status: FAILING[verdict].includes(kind) ? 'broken' : 'reported' };
  });
}

/** The kinds of promises that fail a run, for each verdict. */
const FAILING: Record<Verdict, Kind[]> = {
  all: ['core', 'of-pawl', 'of-the-run'],
  'of-pawl': ['core', 'of-pawl'],
  core: ['core'],
};

/** A kind of promise: kept even on the slowest machine, another promise of Pawl, or a promise of the run itself. */
type Kind = 'core' | 'of-pawl' | 'of-the-run';

/** The promises of every run. A promise without a kind is `of-pawl`. */
const allInvariants: Invariant[] = [
  { id: 'I1', promise: 'every acknowledged turn exists', check: lostTurns, kind: 'core' },
  { id: 'I1', promise: 'one idempotency key creates one turn', check: doubledTurns, kind: 'core' },
  { id: 'I1', promise: 'the API acknowledges every turn before the run ends', check: refusedTurns },
  { id: 'I1', promise: 'every turn ends', check: stuckTurns, kind: 'core' },
  { id: 'I1', promise: 'exactly the active turns have a row of work', check: partedWork, kind: 'core' },
  { id: 'I1', promise: 'a turn ends once', check: oddEnds },
  { id: 'I1', promise: 'a turn ends as its script requires', check: wrongEnds },
  { id: 'I2', promise: 'the numbers of rounds have no gap', check: gappedRounds },
  { id: 'I2', promise: 'a turn sends one history', check: forkedHistories },
  { id: 'I2', promise: 'a turn changes its failed model once and permanently', check: strayRounds },
  {
    id: 'I2',
    promise: 'a round changes its tier once, before it asks on the next tier',
    check: strayTiers,
  },
  {
    id: 'I2',
    promise: 'a background round is not asked again while it has a response',
    check: repeatedRequests,
    kind: 'core',
  },
  { id: 'I12', promise: 'background responses are deleted at the model', check: keptResponses, kind: 'core' },
  { id: 'I16', promise: 'a request is in one batch', check: repeatedInBatches, kind: 'core' },
  {
    id: 'I16',
    promise: 'each request in a batch answers a round, or is a reported retry or a dropped answer',
    check: oddRequests,
    kind: 'core',
  },
  {
    id: 'I16',
    promise: 'a round by batch uses an answer, and no request remains',
    check: leftRequests,
    kind: 'core',
  },
  { id: 'I16', promise: 'the usage of batches is counted once', check: miscountedUsage, kind: 'core' },
  { id: 'I3', promise: 'an at_most_once call is made at most once', check: repeatedBookings, kind: 'core' },
  { id: 'I4', promise: 'a repeated call has the same key and the same arguments', check: changedCalls },
  { id: 'I4', promise: 'every result belongs to a call that was requested and made', check: inventedResults },
  { id: 'I4', promise: 'an ended turn has no open call', check: openCalls },
  { id: 'I5', promise: 'the numbers of events have no gap', check: gappedEvents },
  { id: 'I5', promise: 'events have the order of their rounds', check: mixedRounds },
  { id: 'I5', promise: 'clients see every event once, and the end', check: deceivedClients },
  { id: 'I5', promise: 'a streamed response equals the stored response', check: deceivedReaders },
  { id: 'I4', promise: 'a handed-over call is answered once', check: oddAnswersOfCallers },
  { id: 'I3', promise: 'an approval is used once', check: oddAdoptions },
  { id: 'I12', promise: 'deleted and unstored turns are erased', check: keptContent },
  { id: 'I6', promise: 'the end of a turn is delivered under one event id', check: missedWebhooks },
  { id: 'I6', promise: 'webhooks are signed and have a delivery', check: forgedWebhooks },
  { id: 'I6', promise: 'deliveries match the record of receivers', check: oddDeliveries },
  { id: 'I6', promise: 'no webhook is sent before its time', check: hastyWebhooks },
  { id: 'I7', promise: 'leases end in time, and with their turns', check: overlongLeases },
  { id: 'I8', promise: 'no turn exceeds its limits', check: brokenLimits },
  { id: 'I9', promise: 'the API sends only declared status codes', check: oddAnswers },
  { id: 'I9', promise: 'no process exits without a request', check: deadProcesses },
  {
    id: 'I10',
    promise: 'every fault has an effect, and most faults affect turns in progress',
    check: emptyFaults,
    kind: 'of-the-run',
  },
  { id: 'I11', promise: 'turns recover from every fault within 30 s', check: lastingFaults },
  { id: 'I14', promise: 'every acknowledged message is in one turn, once', check: lostMessages },
  { id: 'I14', promise: 'the messages of one client keep their order', check: mixedMessages },
  { id: 'I14', promise: 'an answer covers all joined inputs of its turn', check: unheardMessages },
  { id: 'I15', promise: 'the history of a fork never changes', check: changedHistories },
  { id: 'I15', promise: 'no rerun makes a recorded call', check: repeatedByReruns },
  { id: 'I15', promise: 'every fork completes', check: endlessForks },
  { id: 'I15', promise: 'no read shows a deleted turn, and the turn is erased with its forks', check: shownDeletions },
  { id: 'I17', promise: 'a turn runs with the version that its answer reported', check: changedVersions, kind: 'core' },
  { id: 'I17', promise: 'no version of an agent is lost or changed', check: brokenVersions, kind: 'core' },
  { id: 'I13', promise: 'a turn starts within 5 s during a flood of another project', check: lateStarts },
  { id: 'I13', promise: 'a project never exceeds its maximum of active turns', check: overfullProjects },
];

/** A promise. `check` returns a sentence for each time that the run broke it. */
type Invariant = { id: string; promise: string; check(history: History): string[]; kind?: Kind };
