import { expect, it } from '@jest/globals';
import { parseInThread } from './parse-in-thread.js';
import { parseTopologyText } from './topology-text.js';

const program = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);
const unavailable = (message: RegExp) =>
  expect.objectContaining({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(message) as unknown,
  }) as unknown;

it.each(['id: 1\nname: Shop', 'a: &x [1, .nan]\nb: *x', 'id: [1\nname: x', ''])(
  'returns what the parser returns: %j',
  async (text) =>
    expect(await parseInThread(text, 'me')).toEqual(parseTopologyText(text, 'a.yaml')),
);

it('ends a parser that takes too long or too much memory', async () => {
  const slow = parseInThread('', 'me', { program: program('for (;;);'), seconds: 0.2 });
  await expect(slow).rejects.toEqual(
    unavailable(/more than 0.2 s .* or send the topology as JSON/),
  );
  const large = program('const all = []; for (let i = 0; ; i++) all.push({ i, text: "x" + i })');
  await expect(parseInThread('', 'me', { program: large })).rejects.toEqual(unavailable(/256 MB/));
});

it('does not hide another error of the parser', async () => {
  const broken = parseInThread('', 'me', { program: program('throw new Error("broken")') });
  await expect(broken).rejects.toThrow('broken');
});

it('refuses texts while many wait, and reads the others one after the other', async () => {
  const quick = program(`import { parentPort } from 'node:worker_threads';
    parentPort.postMessage({ value: 1 });`);
  const reads = Array.from({ length: 25 }, () => parseInThread('', 'me', { program: quick }));
  const outcomes = await Promise.allSettled(reads);
  const refused = outcomes.flatMap((one) =>
    one.status === 'rejected' ? [one.reason as unknown] : [],
  );
  expect(refused).toEqual(Array.from({ length: 5 }, () => unavailable(/try again later/)));
});

it('reads texts of a client while another one sends many large ones, and lets few of those wait', async () => {
  const endless = program('setInterval(() => undefined, 1_000);');
  const large = Array.from({ length: 20 }, () =>
    parseInThread('k: 1\n'.repeat(5_000), 'greedy', { program: endless, seconds: 1 }),
  );
  const refused = large
    .slice(3)
    .map((one) => expect(one).rejects.toEqual(unavailable(/try again later/)));
  const late = large
    .slice(0, 3)
    .map((one) => expect(one).rejects.toEqual(unavailable(/more than 1 s/)));
  await Promise.all(refused);
  expect(await parseInThread('id: 1', 'me')).toEqual({ value: { id: 1 } });
  const other = parseInThread('k: 1\n'.repeat(5_000), 'me');
  await Promise.all(late);
  expect(await other).toHaveProperty('faults');
});
