import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises';

/** What somebody asked, and how they are told the answer. */
export type Asked<Statement, Answer> = {
  statement: Statement;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
};

/** A group that takes longer is stuck at somebody's lock or network, and those that came since do not wait for it. */
const PATIENCE_MS = 50;

/**
 * Runs statements in groups: those that are asked at the same moment, or come while others are under way, go together, `most`
 * at a time; as many as that go at once. Nothing waits for company: whoever comes alone goes alone. `run` tells each of a
 * group its own answer, and never rejects.
 */
export function gatherStatements<Statement, Answer>(
  run: (group: Asked<Statement, Answer>[]) => Promise<void>,
  most: number,
): (statement: Statement) => Promise<Answer> {
  const waiting: Asked<Statement, Answer>[] = [];
  let underWay = 0;

  async function send(): Promise<void> {
    underWay += 1;
    await nextTurnOfTheLoop();
    const group = waiting.splice(0, most);
    if (waiting.length >= most) void send();
    const leave = once(() => {
      underWay -= 1;
      if (underWay === 0 && waiting.length > 0) void send();
    });
    const patience = setTimeout(leave, PATIENCE_MS);
    if (group.length > 0) await run(group);
    clearTimeout(patience);
    leave();
  }
  return (statement) =>
    new Promise((resolve, reject) => {
      waiting.push({ statement, resolve, reject });
      if (underWay === 0 || waiting.length === most) void send();
    });
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
