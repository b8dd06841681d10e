import { describe, expect, test } from '@jest/globals';
import { ask } from '../support/chat.js';
import { expectValid } from '../support/streams/event-stream.js';
import { modelScene } from '../support/models/model-scene.js';
import { agUiEvents, partsOf, uiMessage } from '../support/streams/protocol-readers.js';
import { answer, refuse } from '../support/models/provider-server.js';

const scene = modelScene(answer({ text: 'All is well.' }));
const refused = refuse(429, { headers: { 'retry-after-ms': '20' } });
const QUESTION = 'Is it well?';
const messages = [
  { id: '1', role: 'user', content: QUESTION, parts: [{ type: 'text', text: QUESTION }] },
];

interface Shown {
  message: unknown;
  retry_in_ms?: unknown;
  count?: unknown;
}

/**
 * The messages about waits that a page shows, by format: its endpoint, the body of a question, and
 * what a page makes of the stream.
 */
const PAGES: Record<string, [string, object, (text: string) => Shown[] | Promise<Shown[]>]> = {
  oracle: [
    '/api/oracle/stream',
    { question: QUESTION },
    (text) =>
      [...text.matchAll(/^data: (.*"system_type":"rate_limited".*)$/gm)].map(([, data = '']) => {
        const { system_message, content, metadata } = JSON.parse(data) as Record<string, object>;
        expect(content).toBe(system_message);
        return { message: system_message, ...metadata };
      }),
  ],
  'ag-ui': [
    '/api/service/v1/ag-ui',
    { threadId: 'talk', runId: 'r', messages },
    async (text) =>
      (await agUiEvents(text))
        .filter(({ type, name }) => type === 'CUSTOM' && name === 'system.warning')
        .map(({ value }) => value as Shown),
  ],
  'ai-sdk': [
    '/api/chat',
    { id: 'talk', messages },
    async (text) =>
      partsOf((await uiMessage(text)).message, 'data-notice').map(({ data }) => data as Shown),
  ],
};

describe.each(Object.entries(PAGES))(
  '%s: a provider that answers 429',
  (format, [path, body, read]) => {
    /**
     * Asks while the provider refuses so many calls.
     * @returns the number of waits in the log, and what a page shows
     */
    async function asked(refusals: number) {
      const api = await scene.service(scene.hosted());
      scene.server.script(...Array.from({ length: refusals }, () => refused));
      const { text, runId } = await ask(`${api.url}${path}`, body);
      const log = expectValid(await api.log(runId));
      const waits = log.filter(
        ({ key, data }) => key === 'system.warning' && data['code'] === 'RATE_LIMITED',
      );
      expect(scene.server.exchanges).toHaveLength(Math.min(refusals + 1, 10));
      const shown = (await read(text)).filter(({ retry_in_ms }) => retry_in_ms !== undefined);
      return { waits: waits.length, end: log.at(-1), text, shown };
    }

    /** A page of `useChat` replaces a message by the next with its id; the others append. */
    const first =
      format === 'ai-sdk' ? [] : [expect.not.objectContaining({ count: expect.anything() })];
    const total = (count: number) => ({
      count,
      message: `Waited ${count} times for the provider of "openai/some-model", 1 s in all.`,
    });

    test('nine times is one message that ends with the total, before the answer is complete', async () => {
      const { waits, end, text, shown } = await asked(9);
      expect([waits, end?.key]).toEqual([9, 'lifecycle.completed']);
      expect(text).toContain('All is well.');
      expect(shown).toEqual([...first, expect.objectContaining(total(9))]);
    });

    test('ten times ends the turn, and the total comes before the error', async () => {
      const { waits, end, shown } = await asked(10);
      expect([waits, end]).toMatchObject([
        9,
        { key: 'lifecycle.failed', data: { code: 'RATE_LIMITED' } },
      ]);
      expect(shown).toEqual([...first, expect.objectContaining(total(9))]);
    });

    test('once is one message without a total', async () => {
      const { waits, shown } = await asked(1);
      expect(waits).toBe(1);
      expect(shown).toEqual([expect.not.objectContaining({ count: expect.anything() })]);
    });
  },
);

test('a Retry-After of an hour is obeyed for MAX_RETRY_AFTER_SECONDS, and the notice says until when', async () => {
  const api = await scene.service({ ...scene.hosted(), MAX_RETRY_AFTER_SECONDS: '2' });
  scene.server.script(refuse(429, { headers: { 'retry-after': '3600' } }));
  const { text, runId } = await ask(`${api.url}/api/oracle/stream`, { question: QUESTION });
  expect(text).toContain('All is well.');
  const log = expectValid(await api.log(runId));
  const [warning] = log.filter(({ key }) => key === 'system.warning');
  expect(warning?.data).toMatchObject({ code: 'RATE_LIMITED', retry_in_ms: 2_000 });
  expect(warning?.data['message']).toMatch(/One call tests at \d{4}-.* UTC.* Trying again in 2 s/);
  const [asked, again] = [warning, log.at(-1)].map((event) => Date.parse(event?.timestamp ?? ''));
  // Half of the pause: it began before the warning was written.
  expect((again ?? 0) - (asked ?? 0)).toBeGreaterThanOrEqual(1_000);
  expect(scene.server.exchanges).toHaveLength(2);
});
