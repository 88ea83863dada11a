import { countWork } from '#core/checkpoint/count-work.ts';
import type { ApiContext } from '../context.ts';
import { makeRouter } from '../make-router.ts';

/** `GET /metrics`: what is under way, in the text format that Prometheus reads. Needs a key where keys are set. */
export function metricsRoutes({ db, countJobs, watch }: Pick<ApiContext, 'db' | 'countJobs' | 'watch'>) {
  const router = makeRouter();
  router.get('/metrics', async (c) => {
    const [{ turns, late, deliveries }, jobs] = await Promise.all([countWork(db), countJobs().catch(() => ({}))]);
    const { streams } = watch.count();
    return c.text(
      [
        ...gauge('pawl_turns', 'Active turns by status', { status: turns }),
        ...gauge('pawl_turns_late', 'Active turns that nobody is on although somebody should be', late),
        ...gauge('pawl_deliveries_pending', 'Webhook deliveries still to be made', deliveries),
        ...gauge('pawl_jobs', 'Jobs in the queue by state', { state: jobs }),
        ...gauge('pawl_event_streams', 'Open event streams of this process', streams),
        ...gauge('process_resident_memory_bytes', 'Resident memory of this process', process.memoryUsage.rss()),
        '',
      ].join('\n'),
    );
  });
  return router;
}

function gauge(name: string, help: string, value: number | Record<string, Record<string, number>>): string[] {
  const head = [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`];
  if (typeof value === 'number') return [...head, `${name} ${value}`];
  const samples = Object.entries(value).flatMap(([label, counts]) =>
    Object.entries(counts).map(([key, count]) => `${name}{${label}="${key}"} ${count}`),
  );
  return [...head, ...samples];
}
