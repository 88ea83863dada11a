import { openModel } from './ask-model.ts';
import { openNaive, QUEUE } from './open-naive.ts';
import { workStep } from './work-step.ts';

/** The worker of the naive loop, a process of its own. */
const { DATABASE_URL = '', REDIS_URL, MODEL_URL = '' } = process.env;
const naive = openNaive({ databaseUrl: DATABASE_URL, redisUrl: REDIS_URL }, REDIS_URL ? 'redis' : 'postgres');
const context = { sql: naive.sql, askModel: openModel(MODEL_URL), add: naive.add, publishEnd: naive.ends.publish };
const worker = naive.bullmq.makeWorker(QUEUE, ({ data }) => workStep(data, context));
await worker.waitUntilReady();
console.log('the naive loop is ready');

process.once('SIGTERM', async () => {
  await worker.close();
  await naive.close();
  process.exit(0);
});
