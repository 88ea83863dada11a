import { globSync, readFileSync } from 'node:fs';

const ROOM = new URL('../../../packages/core/checkpoint/', import.meta.url);
const WRITES = /\b(?:insert into|update|delete from) \w+\b|insertInto|updateTable|deleteFrom/;
/** An exported function that sends its own write: its first parameter is a connection. */
const SENDS = /^export async function \w+\(\s*(?:db|trx): /;

/**
 * Functions that no turn waits for. Only the clock causes `renewBatch`. `saveSupersededAnswer` depends on the time of
 * the death: a later run has already sent the joined input.
 */
const APART = new Set([
  'saveSupersededAnswer',
  ...['createBulk', 'takeBulkBatch', 'settleBulkTurn', 'countSettledTurns', 'deleteOldBulks', 'rollUpUsage'],
  ...['stopBulkTurns', 'releaseStoppedTurn'],
  ...['migrate', 'deleteExpiredIdempotencyKeys', 'recordWorker', 'removeWorker'],
  ...['eraseHidden', 'eraseAged', 'eraseExpired', 'eraseUnused', 'eraseExpiredFiles', 'createFile', 'deleteFile'],
  ...['removeDeletedAgents', 'changeConversation', 'hideConversation', 'countRequests', 'renewBatch'],
]);

/** Returns the functions of `checkpoint/` that write data of a turn. */
export function writingFunctions(): string[] {
  const modules = new Map(globSync('**/*.ts', { cwd: ROOM }).map((file) => [file, readModule(file)]));

  function writes(file: string, name: string, seen: Set<string>): boolean {
    const at = `${file} ${name}`;
    const { declared, imported } = modules.get(file) ?? NO_MODULE;
    const text = declared.get(name);
    if (text === undefined || seen.has(at)) return false;
    seen.add(at);
    if (WRITES.test(text)) return true;
    const named = new Set(text.match(/\w+/g));
    return [...named].some((other) => writes(declared.has(other) ? file : (imported.get(other) ?? ''), other, seen));
  }

  return [...modules].flatMap(([file, { declared }]) =>
    [...declared]
      .filter(([name, text]) => SENDS.test(text) && !APART.has(name) && writes(file, name, new Set()))
      .map(([name]) => name),
  );
}

/** The text of each function and constant of a file, and the file of the room that each import is from. */
type Module = { declared: Map<string, string>; imported: Map<string, string> };

const NO_MODULE: Module = { declared: new Map(), imported: new Map() };
const COMMENT = /\/\*\*[\s\S]*?\*\//g;
const IMPORT = /^import \{([^}]*)\} from '(\.[^']*)';/gm;
const DECLARATION =
  /^(?:export )?(?:async )?(?:function|const) (\w+)[\s\S]*?(?=^(?:export|async|function|const|type|import|class) |(?![\s\S]))/gm;

function readModule(file: string): Module {
  const url = new URL(file, ROOM);
  const text = readFileSync(url, 'utf8').replace(COMMENT, '');
  const declared = [...text.matchAll(DECLARATION)].map(([all, name = '']): [string, string] => [name, all]);
  const imported = [...text.matchAll(IMPORT)].flatMap(([, names = '', from = '']) => {
    const source = new URL(from, url).href.slice(ROOM.href.length);
    return (names.match(/\w+/g) ?? []).map((name): [string, string] => [name, source]);
  });
  return { declared: new Map(declared), imported: new Map(imported) };
}
