import { PROGRESS_BOUNDS } from '../../bounds/progress-bounds.ts';
import { startRate } from '../../bounds/rate.ts';
import type { Redact } from '../../redact.ts';
import { cleanJson } from '../clean.ts';

/** Passes on progress within `PROGRESS_BOUNDS`, without known secrets. Throws as `JSON.stringify` does. */
export function boundProgress(redact: Redact, pass: (value: unknown) => void): (value: unknown) => void {
  const rate = startRate(PROGRESS_BOUNDS);
  return (value) => {
    if (!rate.admits()) return;
    const isLarge = (JSON.stringify(value) ?? '').length > PROGRESS_BOUNDS.length;
    pass(isLarge ? { left_out: 'the progress had more than 64 KiB' } : cleanJson(value, redact));
  };
}
