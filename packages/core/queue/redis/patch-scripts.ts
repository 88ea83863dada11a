import type { Redis } from 'ioredis';

/**
 * Makes BullMQ's scripts write no events, and a fetch wake another worker only if it leaves a job
 * (docs/decisions/0019-patches.md). Scripts with other lines run unchanged.
 */
export function patchScripts(redis: Pick<Redis, 'defineCommand'>): void {
  const define = redis.defineCommand;
  redis.defineCommand = (name, { lua, ...definition }) => {
    Reflect.apply(define, redis, [name, { ...definition, lua: patchScript(name, lua) }]);
  };
}

function patchScript(name: string, lua: string): string {
  const silent = lua.replace(CALL, CALL_WITHOUT_EVENTS);
  return FETCHES.test(name) ? silent.replace(WAKE_ALWAYS, WAKE_FOR_OTHERS) : silent;
}

/** The scripts that hand out a job. Their keys begin with the keys of the waiting, active and prioritized jobs. */
const FETCHES = /^moveTo(?:Active|Finished):/;

const CALL = 'local rcall = redis.call\n';

const CALL_WITHOUT_EVENTS = `local rcall = function(command, ...)
  if command ~= "XADD" then return redis.call(command, ...) end
end
`;

const WAKE_ALWAYS = `  addBaseMarkerIfNeeded(markerKey, false)
  -- rate limit delay must be 0`;

const WAKE_FOR_OTHERS = `  if rcall("LLEN", KEYS[1]) + rcall("ZCARD", KEYS[3]) > 0 then addBaseMarkerIfNeeded(markerKey, false) end
  -- rate limit delay must be 0`;
