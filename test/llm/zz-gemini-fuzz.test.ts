import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderRequest } from '#core/llm/gemini/render-request.ts';
import { transcriptOf } from '#core/turn/transcript.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { finishReply, startReply, takeChunk } from '#core/llm/gemini/parse-stream.ts';
import { nameCalls } from '#core/turn/name-calls.ts';
const text = fc.oneof(fc.constantFrom('', ' ', 'x', '{"a":1}', '[1]'), fc.string());
const part = fc.oneof(
  fc.record({ text }), fc.record({ text, thoughtSignature: fc.constantFrom('s1', 's2') }), fc.record({ text, thought: fc.constant(true) }),
  fc.record({ functionCall: fc.record({ name: fc.constantFrom('a', 'b', 'w x'), args: fc.dictionary(fc.string(), fc.jsonValue()), id: fc.constantFrom('', 'i1', 'i2', '!!') }) }),
  fc.record({ functionCall: fc.record({ name: fc.constantFrom('a') }), thoughtSignature: fc.constant('s3') }),
);
const gem = fc.array(part, { maxLength: 5 }).map((parts) => { const d = startReply('gemini'); takeChunk(d, { candidates: [{ content: { parts }, finishReason: 'MAX_TOKENS' }] }); const r = JSON.parse(JSON.stringify(finishReply(d))); return { parts, text: r.text, opaque: r.opaque, calls: r.calls }; });
const foreign = fc.record({ text: fc.oneof(text, fc.constant(null)), opaque: fc.constantFrom(null, 'junk', { parts: [{ text: 1 }] }), calls: fc.array(fc.record({ id: fc.constantFrom('', 'q'), name: fc.constantFrom('a', '', '1 !'), arguments: text }), { maxLength: 3 }), parts: fc.constant(null) });
const round = fc.oneof(gem.map((r) => ({ ...r, p: 'gemini' })), foreign.map((r) => ({ ...r, p: 'openai' })), foreign.map((r) => ({ ...r, p: 'gemini' })));
const result = fc.oneof(fc.constant(null), fc.record({ status: fc.constantFrom('success', 'error'), content: text, error: fc.constant(null) }));
const turn = fc.record({ p: fc.constantFrom('gemini', 'openai'), input: fc.array(fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content: text.filter((t) => t.length > 0) }), { minLength: 1, maxLength: 3 }), rounds: fc.array(round, { maxLength: 3 }), results: fc.array(result, { minLength: 12, maxLength: 12 }), output: fc.oneof(fc.constant(null), text) });
test('fuzz', () => {
  fc.assert(fc.property(fc.array(turn, { minLength: 1, maxLength: 3 }), fc.constantFrom('gemini-2.5-pro', 'gemini-3-pro'), (turns, model) => {
    let k = 0;
    const spoken = turns.map(({ p, input, rounds, results, output }) => {
      const done: any[] = [];
      for (const r of rounds) { const calls = nameCalls(r.calls, done); done.push({ text: r.text, opaque: r.opaque, calls: calls.map((c) => ({ ...c, result: results[k++ % 12] })) }); }
      return { config: { model: `${rounds.at(-1)?.p ?? p}/x` }, input, rounds: done, output } as any;
    });
    const messages = transcriptOf(spoken);
    const { contents } = renderRequest({ ...someRequest, model, messages }, 'gemini') as any;
    expect(contents[0].role).toBe('user'); expect(contents.at(-1).role).toBe('user');
    contents.forEach((c: any, i: number) => {
      expect(c.role).toBe(i % 2 ? 'model' : 'user');
      expect(c.parts.length).toBeGreaterThan(0);
      for (const q of c.parts) { expect(Object.keys(q).length).toBeGreaterThan(0); if ('text' in q && !q.thoughtSignature && c.role==='user') expect(q.text.trim()).not.toBe(''); if ('text' in q && !q.thoughtSignature) expect(q.text).not.toBe(''); }
      const calls = c.parts.flatMap((q: any) => q.functionCall ?? []);
      if (c.role === 'model') {
        const answers = contents[i + 1].parts.flatMap((q: any) => q.functionResponse ?? []);
        expect(answers.map((a: any) => [a.name, a.id])).toEqual(calls.map((a: any) => [a.name, a.id]));
        for (const a of calls) { expect(a.name).toMatch(/^[\w.:-]{1,64}$/); expect(Array.isArray(a.args)).toBe(false); expect(typeof a.args).toBe('object'); }
        for (const a of answers) expect(typeof a.response === 'object' && a.response !== null && !Array.isArray(a.response)).toBe(true);
      } else expect(calls).toEqual([]);
    });
  }), { numRuns: 5000 });
});
test('replayed exactly', () => {
  fc.assert(fc.property(gem, (r) => {
    const calls = nameCalls(r.calls, []);
    if (!r.opaque) return;
    const messages = [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: r.text, calls, opaque: { provider: 'gemini', state: r.opaque } }, ...calls.map((c: any) => ({ role: 'tool', callId: c.id, name: c.name, content: 'x', isError: false }))] as any;
    const { contents } = renderRequest({ ...someRequest, messages }, 'gemini') as any;
    const sigs = (ps: any[]) => ps.flatMap((q) => q.thoughtSignature ? [[q.thoughtSignature, q.text?.replaceAll('\u0000','\uFFFD').toWellFormed(), q.functionCall?.name?.replace(' ', '_')]] : []);
    expect(sigs(contents[1].parts)).toEqual(sigs(r.parts as any));
  }), { numRuns: 5000 });
});
