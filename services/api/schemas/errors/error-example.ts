import type { errorTypes } from '../../http/errors.ts';

/** An error as it may come: with its status, the field it names, and its sentence. */
export type ErrorExample = { status: keyof typeof errorTypes; param: string | null; message: string };

export function errorExample(status: ErrorExample['status'], param: string | null, message: string): ErrorExample {
  return { status, param, message };
}
