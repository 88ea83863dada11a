/** The header that makes a creating request safe to repeat; `idempotently` reads it. */
export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  description:
    'Makes the request safe to repeat: with the same key and body it is done once, and answered again with what was ' +
    'made then. Kept at least 24 hours, per project and path. With another body: 409.',
  schema: { type: 'string' as const, pattern: '^[\\x21-\\x7e]{1,255}$', examples: ['order-17'] },
};
