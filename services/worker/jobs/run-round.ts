import { loadHistory } from '#core/checkpoint/load-history.ts';
import { ProviderFailed } from '#core/failure.ts';
import { chooseDialect } from '#core/llm/dialects/choose-dialect.ts';
import type { Provider } from '#core/llm/provider.ts';
import { splitModel } from '#core/llm/split-model.ts';
import type { Step } from '#core/turn/next-step.ts';
import type { Reply } from '#core/turn/reply.ts';
import type { Ring } from '#core/turn/ring.ts';
import { transcriptOf } from '#core/turn/transcript.ts';
import { announceRound } from '../announce-round.ts';
import { askedOf } from '../asked-of.ts';
import type { WorkerContext } from '../context.ts';
import type { Pass } from '../rate-limits.ts';
import type { Run } from '../run.ts';
import { commitRound } from './commit-round.ts';
import { missRound, stayAway } from './miss-round.ts';
import { stopRun } from './stop-run.ts';

type Asking = Pick<Provider, 'ask' | 'name'>;

export type RoundStep = Extract<Step, { kind: 'run-round' }>;

/** Asks the model once and checkpoints its reply. A redelivered job finds its checkpoint and moves on. */
export async function runRound(run: Run, step: RoundStep, context: WorkerContext): Promise<Ring[]> {
  const { turn } = run;
  const log = context.log.child({ turn_id: turn.id, round: step.round, attempt: turn.work.ring + 1 });
  const startedAt = Date.now();
  const { limits } = context;
  if (!limits.mayAsk(turn.config.model)) return stayAway(run, step, context);
  using pass = limits.enter(turn.config.model);
  log.info(`round ${step.round} starting`);

  try {
    const reply = await ask(run, { step, pass }, context);
    pass.answered();
    return await commitRound(run, { step, reply, startedAt }, context);
  } catch (failure) {
    if (run.signal.aborted) return stopRun(run, context);
    if (failure instanceof ProviderFailed) return missRound(run, { step, failure }, context);
    throw failure;
  }
}

async function ask(run: Run, { step, pass }: { step: RoundStep; pass: Pass }, context: WorkerContext): Promise<Reply> {
  const { turn, signal } = run;
  const { db, audience, providers } = context;
  const earlier = turn.position > 1 ? await loadHistory(db, turn.conversationId, turn.position) : [];
  const asked = askedOf(turn, step, transcriptOf([...earlier, turn]));

  const address = { turn_id: turn.id, round: step.round, attempt: turn.work.ring + 1 };
  using announcer = announceRound(audience, address);
  using _onAir = audience.add(turn.id, announcer);
  const provider = providers.find(splitModel(turn.config.model).provider);
  const dialect = chooseDialect(turn.config.tool_mode, counted(provider, run));
  return await dialect.ask(asked, signal, (piece) => {
    pass.answered();
    announcer.take(piece);
  });
}

/** Counts the requests of a run: a round of a dialect may take several, and those before a failed one were made too. */
function counted(provider: Asking, run: Run): Asking {
  return {
    name: provider.name,
    ask: (...asked) => {
      run.requests += 1;
      return provider.ask(...asked);
    },
  };
}
