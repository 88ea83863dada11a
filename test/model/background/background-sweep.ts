import type { Emit } from '../explore/model.ts';
import { at } from '../explore/plain-model.ts';
import type { BackgroundGuards } from './background-guards.ts';
import { type BackgroundState, currentOf, type KeptResponse, NO_SWEEP, type Sweep } from './background-state.ts';
import { countUsage } from './background-writes.ts';

type Sweeping = { state: BackgroundState; index: number; guards: BackgroundGuards; emit: Emit<BackgroundState> };

/** A move of one sweep, in the next state. */
type Change = (sweep: Sweep, response: KeptResponse, after: BackgroundState) => void;

/** Models `close-responses.ts`: each worker sweeps the responses that no round waits for. */
export function sweepResponses(sweeping: Sweeping): void {
  const { state, index, guards, emit } = sweeping;
  const sweep = at(state.sweeps, index);
  if (sweep.at === 'idle') {
    take(sweeping);
    return;
  }
  const response = at(state.responses, sweep.response);
  const may = (verb: string, change: Change) =>
    emit(`sweep ${index + 1} ${verb}`, (after) => {
      change(at(after.sweeps, index), at(after.responses, sweep.response), after);
    });
  emit(`sweep ${index + 1} dies`, (after) => Object.assign(at(after.sweeps, index), NO_SWEEP), 'crash');
  if (sweep.at === 'took' && sweep.cancels) may('cancels the response', cancel);
  else if (sweep.at === 'took') readResponse(response, may);
  else if (sweep.at === 'read' && guards.usageIsSettledFirst)
    may('settles the response', (own, of, after) => settle(own, { of, after, guards }));
  else if (sweep.at === 'read' || (sweep.at === 'settled' && guards.rowOutlivesResponse))
    may('deletes the response', eraseResponse);
  else
    may('removes the row', (own, of, after) => {
      if (own.at === 'deleted' && !guards.usageIsSettledFirst) settle(own, { of, after, guards });
      removeRow(own, of, after);
    });
}

/** Models `take-responses.ts`. Another sweep may take the same row later. */
function take({ state, index, guards, emit }: Sweeping): void {
  for (const [id, { row, at: where }] of state.responses.entries()) {
    if (row === 'none' || row === 'removed') continue;
    if (currentOf(state)?.response === id && guards.takeNeedsEndOfWait) continue;
    emit(`sweep ${index + 1} takes response ${id + 1}`, (after) => {
      const response = at(after.responses, id);
      const cancels = row === 'open' && !response.isClosed && where === 'working';
      Object.assign(at(after.sweeps, index), { at: row === 'open' ? 'took' : 'settled', response: id, cancels });
      response.isClosed = true;
    });
  }
}

function cancel(sweep: Sweep, response: KeptResponse, after: BackgroundState): void {
  sweep.cancels = false;
  if (currentOf(after)?.response === sweep.response)
    after.broken ??= 'a response was cancelled although a round waits for it';
  if (response.at === 'working') response.at = 'cancelled';
}

/** Reads a response. While it works, a later take reads it again. */
function readResponse(response: KeptResponse, may: (verb: string, change: Change) => void): void {
  if (response.at === 'working') may('finds the response at work', (own) => Object.assign(own, NO_SWEEP));
  else if (response.at === 'lost' || response.at === 'deleted')
    may('finds no response', (own) => Object.assign(own, { at: 'gone' }));
  else may('reads the response', (own) => Object.assign(own, { at: 'read' }));
}

type Of = { of: KeptResponse; after: BackgroundState; guards: BackgroundGuards };

/** Models `settle-response.ts`: one statement. */
function settle(sweep: Sweep, { of, after, guards }: Of): void {
  sweep.at = 'settled';
  if (of.row !== 'open' && guards.settleNeedsOpen) return;
  countUsage(after, of);
  of.row = 'settled';
}

function eraseResponse(sweep: Sweep, response: KeptResponse, after: BackgroundState): void {
  if (currentOf(after)?.response === sweep.response)
    after.broken ??= 'a response was deleted although a round waits for it';
  if (response.at !== 'lost') response.at = 'deleted';
  sweep.at = 'deleted';
}

function removeRow(sweep: Sweep, response: KeptResponse, after: BackgroundState): void {
  response.row = 'removed';
  if (response.at === 'deleted' && response.records === 0) after.broken ??= 'the usage of a response was lost';
  if (response.at !== 'deleted' && response.at !== 'lost') after.broken ??= 'a response was left at its provider';
  Object.assign(sweep, NO_SWEEP);
}
