import { setTimeout as sleep } from 'node:timers/promises';
import { eraseAged } from '#core/checkpoint/deletion/erase-aged.ts';
import { eraseExpired } from '#core/checkpoint/deletion/erase-expired.ts';
import { eraseExpiredFiles } from '#core/checkpoint/deletion/erase-expired-files.ts';
import type { Erased, ErasedBatch } from '#core/checkpoint/deletion/erase-threads.ts';
import { eraseUnused } from '#core/checkpoint/deletion/erase-unused.ts';
import { listProjects } from '#core/checkpoint/deletion/list-projects.ts';
import type { WorkerContext } from '../context.ts';

/** The number of rows of each kind that retention has erased, by the kinds of `pawl_retention_deleted_total`. */
export type ErasedCounts = { turns: number; conversations: number; files: number };

/** The routine that deletes data after its retention. */
export type Retention = {
  /** Erases all expired data in small batches, and returns the counts. */
  sweep(): Promise<ErasedCounts>;
  /** Ends a running sweep after its current batch. */
  stop(): void;
};

const KINDS = ['turns', 'conversations', 'files'] as const;

type ErasedAtOnce = Erased & { fileIds?: string[]; goesOn: boolean };

const NO_TURNS: Erased = { turnIds: [], conversationIds: [] };

type Retaining = Pick<WorkerContext, 'db' | 'log' | 'metrics' | 'projects' | 'retention'>;

/**
 * The pause between two batches, relative to the time of a batch, and its minimum. In the pause, other work has the
 * database.
 */
const PAUSE_RATIO = 2;
const LEAST_PAUSE_MS = 10;

/**
 * After this time, conversations without turns are searched again completely. Until then only newly expired
 * conversations are searched.
 */
const LOOK_ANEW_EVERY_MS = 86_400_000;

/** Makes the retention of a worker. Any worker may sweep, and only one sweeps at a time. */
export function makeRetention(context: Retaining): Retention {
  const { db, log, metrics, projects, retention } = context;
  const stopping = new AbortController();
  const progress = makeProgress();

  async function sweep(): Promise<ErasedCounts> {
    const counts = { turns: 0, conversations: 0, files: 0 };
    await repeat(counts, () => eraseExpired(db));
    await repeat(counts, async () => ({ ...NO_TURNS, ...(await eraseExpiredFiles(db)) }));
    for (const project of await listProjects(db)) {
      const days = projects.find(project).retentionDays ?? retention.days;
      if (days === null) continue;
      await walk(counts, '', (after) => eraseAged(db, { project, days, after }));
      const unused = await walk(counts, progress.of(project), (after) => eraseUnused(db, { project, days, after }));
      progress.record(project, unused);
    }
    if (counts.turns + counts.conversations + counts.files > 0)
      log.info({ event: 'retention.deleted', ...counts }, sentenceOf(counts));
    return counts;
  }

  /** Erases batch by batch along the ids, and returns the id after which the last batch began. */
  async function walk(
    counts: ErasedCounts,
    from: string,
    erase: (after: string) => Promise<ErasedBatch>,
  ): Promise<string> {
    let after = from;
    await repeat(counts, async () => {
      const { next, ...erased } = await erase(after);
      after = next ?? after;
      return { ...erased, goesOn: next !== null };
    });
    return after;
  }

  async function repeat(counts: ErasedCounts, erase: () => Promise<ErasedAtOnce>): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      const { turnIds, conversationIds, fileIds = [], goesOn } = await erase();
      const erased = { turns: turnIds.length, conversations: conversationIds.length, files: fileIds.length };
      for (const kind of KINDS) {
        counts[kind] += erased[kind];
        metrics.retentionDeleted(kind, erased[kind]);
      }
      if (!goesOn) return;
      const pauseMs = Math.max(LEAST_PAUSE_MS, PAUSE_RATIO * (performance.now() - startedAt));
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  return { sweep, stop: () => stopping.abort() };
}

/** Remembers the id up to which each project was searched. After a day the search begins again. */
function makeProgress() {
  const reached = new Map<string, string>();
  let since = performance.now();
  return {
    of: (project: string): string => {
      if (performance.now() - since > LOOK_ANEW_EVERY_MS) {
        reached.clear();
        since = performance.now();
      }
      return reached.get(project) ?? '';
    },
    record: (project: string, id: string) => void reached.set(project, id),
  };
}

function sentenceOf({ turns, conversations, files }: ErasedCounts): string {
  return `retention: ${turns} turns, ${conversations} conversations and ${files} files were deleted`;
}
