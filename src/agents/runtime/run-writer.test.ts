import { expect, it } from '@jest/globals';
import type { Source } from '../../domain/events/event.js';
import type { AppendResult, LogPort, Step } from '../../event-log/log-port.js';
import { until } from '../../../test/support/until.js';
import { LostError, RunWriter } from './run-writer.js';

const source: Source = { agent_id: '1', agent_type: 'worker', agent_name: 'W', team_name: 'T' };
const claim = { runId: 'run', writer: 'd1', epoch: 1, step: 0, checkpoint: null, tokens: 0 };
const redact = (text: string) => text.replaceAll('hunter2', '***');
const turn = (attempt: number) => ({ dispatch_id: 'd1', turn: 1, attempt });

function writerOn(answer: (step: Step) => AppendResult) {
  const steps: Step[] = [];
  const log = {
    append: async (_: string, step: Step) => {
      steps.push(step);
      return answer(step);
    },
  } as unknown as LogPort;
  const lost = new AbortController();
  return { writer: new RunWriter(log, { ...claim, source, redact, lost }), steps, lost };
}

const ok = (step: Step): AppendResult => ({
  kind: 'ok',
  first: 10,
  last: 9 + step.events.length,
  ms: 0,
  tokens: 0,
  room: 1_000,
});

it('takes secrets out of every event', async () => {
  const { writer, steps } = writerOn(ok);
  writer.delta('llm.stream', 'it is hunter2', turn(1));
  const data = { message: 'm', code: 'X', details: ['hunter2'] };
  await writer.append([{ name: 'system.warning', source, data }]);
  const texts = JSON.stringify(steps);
  expect(texts).toContain('it is ***');
  expect(texts).not.toContain('hunter2');
});

it('joins what a model says within 40 ms, but not two attempts', async () => {
  const { writer, steps } = writerOn(ok);
  for (const piece of ['a', 'b']) writer.delta('llm.stream', piece, turn(1));
  writer.delta('llm.reasoning', 'c', turn(1));
  writer.delta('llm.stream', 'd', turn(1));
  writer.delta('llm.stream', 'e', turn(2));
  await until('a step', () => steps.length > 0);
  expect(steps.map(({ events }) => events.map(({ name, data }) => [name, data]))).toEqual([
    [
      ['llm.stream', { content: 'ab', ...turn(1) }],
      ['llm.reasoning', { thought: 'c', ...turn(1) }],
      ['llm.stream', { content: 'd', ...turn(1) }],
      ['llm.stream', { content: 'e', ...turn(2) }],
    ],
  ]);
});

it('makes several events of a long text, and loses nothing of it', async () => {
  const { writer, steps } = writerOn(ok);
  const text = `x${'😀'.repeat(30_000)}`;
  writer.delta('llm.stream', text, turn(1));
  const sequence = await writer.append([
    { name: 'system.warning', source, data: { message: 'x', code: 'X' } },
  ]);
  const pieces = (steps[0]?.events ?? [])
    .slice(0, -1)
    .map(({ data }) => String((data as { content: string }).content));
  expect(pieces.join('')).toBe(text);
  expect(
    pieces.every((piece) => piece.length <= 16_384 && Buffer.from(piece).toString() === piece),
  ).toBe(true);
  expect(sequence).toBe(10 + pieces.length);
});

it('is lost when the log is full', async () => {
  const { writer, lost } = writerOn(() => ({ kind: 'full' }));
  await expect(writer.append([], { checkpoint: () => '{}' })).rejects.toThrow(
    'the log of the run is full',
  );
  expect(lost.signal.reason).toBeInstanceOf(LostError);
});

it('repeats a step whose outcome is not known, and not one that was refused', async () => {
  let calls = 0;
  const flaky = writerOn((step) => {
    if (++calls < 3) throw new Error('Command timed out');
    return ok(step);
  });
  await flaky.writer.append([], { checkpoint: () => '{}' });
  expect(flaky.steps.map(({ step }) => step)).toEqual([1, 1, 1]);
  const refused = writerOn(() => {
    throw new Error('INVALID usage is input:output');
  });
  await expect(refused.writer.append([], { checkpoint: () => '{}' })).rejects.toThrow(/^INVALID/);
  expect(refused.steps).toHaveLength(1);
});

it('appends what is held back with the next step, in order, and by itself when none comes', async () => {
  const { writer, steps } = writerOn(ok);
  const warning = (code: string) => ({
    name: 'system.warning' as const,
    source,
    data: { message: code, code },
  });
  writer.delta('llm.stream', 'a', turn(1));
  const note = (text: string) => ({ role: 'note' as const, text });
  writer.hold([warning('X')], {
    checkpoint: () => '{"x":1}',
    messages: [note('m1')],
    progress: 'going',
  });
  writer.delta('llm.stream', 'b', turn(2));
  const sequence = await writer.append([warning('Y')], { messages: [note('m2')] });
  expect(steps.map(({ events }) => events.map(({ name }) => name))).toEqual([
    ['llm.stream', 'system.warning', 'llm.stream', 'system.warning'],
  ]);
  expect(steps[0]).toMatchObject({
    checkpoint: '{"x":1}',
    messages: [note('m1'), note('m2')].map((each) => JSON.stringify(each)),
  });
  expect(sequence).toBe(13);

  writer.hold([warning('Z')], { checkpoint: () => '{"x":2}', progress: 'going' });
  expect(writer.isResting).toBe(false);
  await until('the step', () => steps.length > 1);
  expect(steps[1]).toMatchObject({
    checkpoint: '{"x":2}',
    progress: 'going',
    events: [warning('Z')],
  });
});

it('holds nothing back for longer because more is held back', async () => {
  const { writer, steps } = writerOn(ok);
  const error = { name: 'system.error' as const, source, data: { message: 'm', code: 'X' } };
  for (let held = 0; steps.length === 0; held++) {
    writer.hold([error], {});
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(held).toBeLessThan(1_000);
  }
});

it('appends what is held back at once if something rests on it', async () => {
  const { writer, steps } = writerOn(ok);
  await writer.flush();
  expect(steps).toEqual([]);
  writer.hold([], { checkpoint: () => '{}', progress: 'going' });
  await writer.flush();
  expect(steps).toMatchObject([{ checkpoint: '{}', progress: 'going' }]);
});

it('leaves checkpoint and conversation out of the last step, which deletes them', async () => {
  const { writer, steps } = writerOn(ok);
  const checkpoint = () => {
    throw new Error('not needed');
  };
  writer.hold([], { checkpoint, messages: [{ role: 'note', text: 'n' }] });
  await writer.append([{ name: 'system.error', source, data: { message: 'm', code: 'X' } }], {
    done: true,
  });
  expect(steps).toHaveLength(1);
  expect(steps[0]).toMatchObject({ done: true });
  expect(steps[0]).not.toHaveProperty('messages');
});
