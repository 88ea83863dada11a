import { useEffect, useState } from 'preact/hooks';
import { NOTHING_KNOWN, watchTurn } from './watched-turn.ts';

/** Watches a turn while its component is shown, and renders it at most once per animation frame. Null stops it. */
export function useWatched(id: string | null): Pick<ReturnType<typeof watchTurn>, 'watched' | 'refresh'> {
  const [watch, setWatch] = useState({ watched: NOTHING_KNOWN, refresh: () => {} });
  useEffect(() => {
    if (id === null) return;
    let frame = 0;
    const render = () => {
      frame = 0;
      setWatch({ watched, refresh });
    };
    const { watched, refresh, stop } = watchTurn(id, () => {
      frame ||= requestAnimationFrame(render);
    });
    const comeBack = () => document.visibilityState === 'visible' && refresh();
    document.addEventListener('visibilitychange', comeBack);
    return () => {
      stop();
      cancelAnimationFrame(frame);
      document.removeEventListener('visibilitychange', comeBack);
    };
  }, [id]);
  return watch;
}
