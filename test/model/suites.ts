import { admissionSuite } from './admission/admission-model.ts';
import { backgroundSuite } from './background/background-model.ts';
import { batchSuite } from './batches/batch-model.ts';
import { inputSuite } from './inputs/input-model.ts';
import { approvalSuite } from './small/approval-model.ts';
import { bulkSuite } from './small/bulk-model.ts';
import { compactionSuite } from './small/compaction-model.ts';
import { delaySuite } from './small/delay-model.ts';
import { draftSuite } from './small/draft-model.ts';
import { expirySuite } from './small/expiry-model.ts';
import { fallbackSuite } from './small/fallback-model.ts';
import { forkSuite } from './small/fork-model.ts';
import { leanSuite } from './small/lean-model.ts';
import { rerunSuite } from './small/rerun-model.ts';
import { scheduleSuite } from './small/schedule-model.ts';
import { tierSuite } from './small/tier-model.ts';
import { usageSuite } from './small/usage-model.ts';
import type { Suite } from './suite.ts';
import { threadSuite } from './threads/thread-model.ts';
import { turnSuite } from './turn-suite.ts';

/** All models: the model of the turn, and small models of the parts that it leaves out. */
export const suites: Record<string, Suite> = {
  turn: turnSuite,
  drafts: draftSuite,
  fallback: fallbackSuite,
  tiers: tierSuite,
  threads: threadSuite,
  compactions: compactionSuite,
  admission: admissionSuite,
  inputs: inputSuite,
  expiry: expirySuite,
  usage: usageSuite,
  bulks: bulkSuite,
  delays: delaySuite,
  schedules: scheduleSuite,
  approvals: approvalSuite,
  forks: forkSuite,
  reruns: rerunSuite,
  lean: leanSuite,
  background: backgroundSuite,
  batches: batchSuite,
};
