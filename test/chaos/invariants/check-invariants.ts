import type { History } from '../history.ts';
import type { Options, Verdict } from '../read-options.ts';
import { deceivedClients, gappedEvents, mixedRounds } from './events.ts';
import { deadProcesses, emptyFaults, lastingFaults } from './faults.ts';
import { changedHistories, endlessForks, repeatedByReruns, toldOfDeleted } from './forks.ts';
import { lostMessages, mixedMessages, unheardMessages } from './inputs.ts';
import { overlongLeases } from './leases.ts';
import { lateStarts, overfullProjects } from './places.ts';
import { deceivedReaders, keptContent, oddAdoptions, oddAnswersOfCallers } from './responses.ts';
import { forkedHistories, gappedRounds, strayRounds } from './rounds.ts';
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
  { id: 'I1', promise: 'every acknowledged turn is there', check: lostTurns, kind: 'core' },
  { id: 'I1', promise: 'one key makes one turn', check: doubledTurns, kind: 'core' },
  { id: 'I1', promise: 'every turn is acknowledged in the end', check: refusedTurns },
  { id: 'I1', promise: 'every turn ends', check: stuckTurns, kind: 'core' },
  { id: 'I1', promise: 'a turn has a row of work while it is active', check: partedWork, kind: 'core' },
  { id: 'I1', promise: 'a turn ends once', check: oddEnds },
  { id: 'I1', promise: 'a turn ends as its script says', check: wrongEnds },
  { id: 'I2', promise: 'rounds have no gap', check: gappedRounds },
  { id: 'I2', promise: 'the model is sent one history', check: forkedHistories },
  { id: 'I2', promise: 'a turn leaves a model that dies once and for good', check: strayRounds },
  { id: 'I2', promise: 'a round leaves its tier once, and asks on the next one only then', check: strayTiers },
  { id: 'I3', promise: 'an at_most_once call is made once at most', check: repeatedBookings, kind: 'core' },
  { id: 'I4', promise: 'a call is repeated under the same key with the same arguments', check: changedCalls },
  { id: 'I4', promise: 'a result is of a call that was requested and made', check: inventedResults },
  { id: 'I4', promise: 'an ended turn has no open call', check: openCalls },
  { id: 'I5', promise: 'events have no gap', check: gappedEvents },
  { id: 'I5', promise: 'events of rounds are in order', check: mixedRounds },
  { id: 'I5', promise: 'clients see every event once, and the end', check: deceivedClients },
  { id: 'I5', promise: 'the stream of a response tells what is stored', check: deceivedReaders },
  { id: 'I4', promise: 'a call that is handed over is answered once', check: oddAnswersOfCallers },
  { id: 'I3', promise: 'an approval is used once', check: oddAdoptions },
  { id: 'I12', promise: 'what is deleted or not stored is erased', check: keptContent },
  { id: 'I6', promise: 'the end of a turn is delivered, under one id', check: missedWebhooks },
  { id: 'I6', promise: 'webhooks are signed and known', check: forgedWebhooks },
  { id: 'I6', promise: 'deliveries say what the receiver says', check: oddDeliveries },
  { id: 'I6', promise: 'no attempt comes before its time', check: hastyWebhooks },
  { id: 'I7', promise: 'no lease outlives its time', check: overlongLeases },
  { id: 'I8', promise: 'limits are kept', check: brokenLimits },
  { id: 'I9', promise: 'the API answers what it declares', check: oddAnswers },
  { id: 'I9', promise: 'no process ends by itself', check: deadProcesses },
  {
    id: 'I10',
    promise: 'every fault had an effect, and met turns in progress',
    check: emptyFaults,
    kind: 'of-the-run',
  },
  { id: 'I11', promise: 'every fault is overcome in half a minute', check: lastingFaults },
  { id: 'I14', promise: 'what is said is in one turn, once', check: lostMessages },
  { id: 'I14', promise: 'what one client says is in the order in which it was said', check: mixedMessages },
  { id: 'I14', promise: 'a turn is answered with all that has joined it', check: unheardMessages },
  { id: 'I15', promise: 'the history of a fork never changes', check: changedHistories },
  { id: 'I15', promise: 'no rerun makes a call that was made', check: repeatedByReruns },
  { id: 'I15', promise: 'every fork ends', check: endlessForks },
  { id: 'I15', promise: 'what is deleted leaves every read, and goes with its forks', check: toldOfDeleted },
  { id: 'I13', promise: 'a turn starts at once beside a flood of another project', check: lateStarts },
  { id: 'I13', promise: 'a project has no more turns at work than it may', check: overfullProjects },
];

/** A promise. `check` returns a sentence for each time that the run broke it. */
type Invariant = { id: string; promise: string; check(history: History): string[]; kind?: Kind };
