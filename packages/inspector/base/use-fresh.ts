import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isFinal, refusalOf } from './call.ts';

/** `data` is null until the first answer. `refused` is the error of the last reading, if it failed. */
export type Fresh<Data> = { data: Data | null; refused: Error | null; again: () => Promise<void> };

/** `mayRead` postpones a reading, for example while a person edits a field that the reading would replace. */
type Options = { everyMs: number; mayRead?: () => boolean };

/**
 * Reads at once, at intervals while the page is visible, and when the page becomes visible. Skips a reading at an
 * interval while another is pending. Shows only the newest of overlapping readings. After a final refusal only
 * `again` reads, since a key dialog every few seconds would be in the way.
 */
export function useFresh<Data>(
  read: (signal: AbortSignal) => Promise<Data>,
  { everyMs, mayRead = () => true }: Options,
): Fresh<Data> {
  const [state, setState] = useState<Omit<Fresh<Data>, 'again'>>({ data: null, refused: null });
  const latest = useRef({ read, mayRead });
  latest.current = { read, mayRead };
  const again = useRef(async () => {});
  useEffect(() => {
    const leaving = new AbortController();
    let refused: Error | null = null;
    let newest: symbol | null = null;
    const readNow = async () => {
      const own = Symbol('reading');
      newest = own;
      try {
        const data = await latest.current.read(leaving.signal);
        if (newest !== own) return;
        refused = null;
        setState({ data, refused });
      } catch (error) {
        if (newest !== own) return;
        refused = refusalOf(error);
        setState(({ data }) => ({ data, refused }));
      } finally {
        if (newest === own) newest = null;
      }
    };
    const look = () => {
      if (newest !== null || document.visibilityState !== 'visible' || isFinal(refused)) return;
      if (latest.current.mayRead()) readNow();
    };
    again.current = readNow;
    readNow();
    const timer = setInterval(look, everyMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      newest = null;
      leaving.abort();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [everyMs]);
  return { ...state, again: useCallback(() => again.current(), []) };
}

/** Renders the component again at this interval, for ages and for growing durations. Null stops the clock. */
export function useClock(everyMs: number | null): void {
  const [, setCount] = useState(0);
  useEffect(() => {
    if (everyMs === null) return;
    const timer = setInterval(() => setCount((count) => count + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
