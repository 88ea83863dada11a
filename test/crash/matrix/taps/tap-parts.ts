import { Job, Queue } from 'bullmq';
import type { Provider } from '#core/llm/provider.ts';
import type { Pubsub } from '#core/pubsub/pubsub.ts';
import type { JobData } from '#core/queue/job.ts';
import type { JobQueue } from '#core/queue/job-queue.ts';
import type { Parts } from '#services/process/parts.ts';
import type { Crossings } from './crossings.ts';
import { tapDatabase } from './tap-database.ts';
import { tapRequests } from './tap-requests.ts';

type Tap<Part> = (part: Part, crossings: Crossings) => Part;

/** The tap of each part. A new part needs an entry here. */
const TAPS: { [Name in keyof Parts]: Tap<Parts[Name]> } = {
  connection: inPlace(tapDatabase),
  jobQueue: inPlace(tapQueue),
  pubsub: tapPubsub,
  providers: (providers, crossings) => ({
    ...providers,
    find: (...asked) => tapProvider(providers.find(...asked), crossings),
    ofModel: (...asked) => tapProvider(providers.ofModel(...asked), crossings),
  }),
  tools: (tools, { around }) => ({
    ...tools,
    find: (name) => {
      const tool = tools.find(name);
      return tool && { ...tool, run: (args, context) => around(`run ${name}`, () => tool.run(args, context)) };
    },
  }),
  mcp: (mcp, { around }) => ({
    ...mcp,
    server: (name) => {
      const server = mcp.server(name);
      return (
        server && { ...server, call: (request) => around(`call ${request.tool.name}`, () => server.call(request)) }
      );
    },
  }),
  egress: (egress, { around }) => ({
    ...egress,
    send: (request) => around(`send ${new URL(request.url).pathname}`, () => egress.send(request)),
  }),
  secretsOf:
    (secretsOf, { around }) =>
    (project) =>
      around('find the secrets', () => secretsOf(project)),
  availability: untapped,
  enqueue: untapped,
  enqueueBeforeAck: untapped,
  prices: untapped,
  providerLimits: untapped,
  projects: untapped,
  admission: untapped,
  dueDeliveries: untapped,
  toolSecrets: untapped,
  redact: untapped,
  accessKeys: untapped,
  reloadProjects: untapped,
  connectionRefusals: untapped,
  egressPolicy: untapped,
  metrics: untapped,
  tracer: untapped,
  close: untapped,
};

/** Returns the same parts, which cross whenever they reach out of the process. */
export function tapParts(parts: Parts, crossings: Crossings): Parts {
  tapRequests(crossings);
  const tapped = Object.entries(TAPS).map(([name, tap]) => [
    name,
    (tap as Tap<unknown>)(parts[name as keyof Parts], crossings),
  ]);
  return Object.fromEntries(tapped) as Parts;
}

/** Taps a part in place, since other parts already refer to it. */
function inPlace<Part>(tap: (part: Part, crossings: Crossings) => void): Tap<Part> {
  return (part, crossings) => {
    tap(part, crossings);
    return part;
  };
}

/** Leaves a part untapped that stays within the process, or reaches out through another part. */
function untapped<Part>(part: Part): Part {
  return part;
}

function tapPubsub(pubsub: Pubsub, { around }: Crossings): Pubsub {
  return {
    ...pubsub,
    publishToTurn: (message) =>
      around(`publish to watchers ${message.kind === 'event' ? message.event.type : message.kind}`, () =>
        pubsub.publishToTurn(message),
      ),
    publishToWorkers: (message) => around(`publish to workers ${message.kind}`, () => pubsub.publishToWorkers(message)),
  };
}

function tapProvider(provider: Provider, { around, cross }: Crossings): Provider {
  return {
    ...provider,
    ask: (request, signal, onDelta) =>
      around(`ask r${request.round}`, () =>
        provider.ask(request, signal, (delta) => {
          cross(`chunk of r${request.round}`);
          onDelta(delta);
        }),
      ),
  };
}

/**
 * Crosses when a job is taken, around its acknowledgement, and around each added job. A refusing queue refuses the
 * first job of each name.
 */
function tapQueue(jobQueue: JobQueue, { cross, around, queueRefuses, queuesSteps }: Crossings): void {
  const { work } = jobQueue;
  jobQueue.work = (queues, handle, concurrency) => {
    const taking: typeof handle = (job) => {
      cross(`take ${nameOf(job)}`);
      return handle(queuesSteps ? { ...job, mayContinue: () => false } : job);
    };
    return work(queues, taking, concurrency);
  };

  const refused = new Set<string>();
  const { add } = Queue.prototype;
  Queue.prototype.add = function (this: Queue, name: string, data, options) {
    const isRefused = queueRefuses && !refused.has(name);
    refused.add(name);
    const adding = () => (isRefused ? Promise.reject(new Error(REFUSAL)) : add.call(this, name, data, options));
    return around(`enqueue ${nameOf({ name, data })}`, adding);
  };
  const { moveToCompleted } = Job.prototype;
  Job.prototype.moveToCompleted = function (this: Job, ...args) {
    return around(`acknowledge ${nameOf(this)}`, () => moveToCompleted.apply(this, args));
  };
}

const REFUSAL = 'The queue refuses this job for the test.';

function nameOf({ name, data }: { name: string; data: JobData }): string {
  return 'step' in data ? `${name} ${data.step}` : name;
}
