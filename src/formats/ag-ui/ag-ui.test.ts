import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyRun } from '../../../test/support/generators/any-run.js';
import { encodeLog } from '../../../test/support/streams/encode.js';
import { expectFixture } from '../../../test/support/streams/format-fixture.js';
import { LogText, ORACLE } from '../../../test/support/streams/log-text.js';
import { LOGS } from '../../../test/support/streams/logs.js';
import { agUiEvents } from '../../../test/support/streams/protocol-readers.js';

test('repeated waits for the provider of a model are one activity that counts up', async () => {
  const log = new LogText().start('chat');
  for (const model of ['big', 'big', 'small', 'big'])
    log.add('system.warning', ORACLE, {
      code: 'RATE_LIMITED',
      message: 'The provider limits the rate of calls (429).',
      retryable: true,
      retry_in_ms: 4_000,
      model,
    });
  const events = await agUiEvents(encodeLog('ag-ui', log.complete(ORACLE, 'Done.').frames));
  const activities = events.filter(({ type }) => type === 'ACTIVITY_SNAPSHOT');
  expect(new Set(activities.map(({ messageId }) => messageId)).size).toBe(1);
  expect(activities.map(({ replace, content }) => [replace, content])).toMatchObject([
    [true, { count: 2, message: 'Waited 2 times for the provider of "big", 8 s in all.' }],
    [true, { count: 3, message: 'Waited 3 times for the provider of "big", 12 s in all.' }],
  ]);
  // The first wait for each model, and the total.
  expect(events.filter(({ type }) => type === 'CUSTOM')).toHaveLength(3);
});

test('encodes a recorded chat turn to its fixture', () => expectFixture('ag-ui'));

const verified = (log: readonly string[]) => agUiEvents(encodeLog('ag-ui', log));

describe('ag-ui: the verifier of the protocol accepts', () => {
  test.each(Object.keys(LOGS))('%s', async (name) => {
    const types = (await verified(LOGS[name] as string[])).map(({ type }) => type);
    expect(types[0]).toBe('RUN_STARTED');
    expect(['RUN_FINISHED', 'RUN_ERROR']).toContain(types.at(-1));
  });

  test('any run, and a run closes all it has opened, also if it fails', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (log) => {
        const events = await verified(log);
        const count = (type: string) => events.filter((event) => event.type === type).length;
        for (const kind of ['TEXT_MESSAGE', 'REASONING_MESSAGE'])
          expect(count(`${kind}_START`)).toBe(count(`${kind}_END`));
        expect(count('SUBAGENT_STARTED')).toBe(
          count('SUBAGENT_FINISHED') + count('SUBAGENT_ERROR'),
        );
      }),
      { numRuns: 100 },
    );
  });

  test('sub-agents: parents first, and a new sub-agent for each attempt', async () => {
    const events = await verified(LOGS['a diagnosis with an attempt that failed'] as string[]);
    const subs = events
      .filter(({ type }) => type.startsWith('SUBAGENT'))
      .map(({ type, subagentRunId }) => `${type} ${String(subagentRunId).slice(-4)}`);
    expect(subs).toEqual([
      'SUBAGENT_STARTED b:d1',
      'SUBAGENT_ERROR b:d1',
      'SUBAGENT_STARTED d1#2',
      'SUBAGENT_FINISHED d1#2',
    ]);
    const started = (await verified(LOGS['root-cause'] as string[])).filter(
      ({ type }) => type === 'SUBAGENT_STARTED',
    );
    const known = new Set<unknown>([undefined]);
    for (const { subagentRunId, parentSubagentRunId } of started) {
      expect(known).toContain(parentSubagentRunId);
      known.add(subagentRunId);
    }
    expect(
      started.filter(({ parentSubagentRunId }) => parentSubagentRunId !== undefined),
    ).not.toHaveLength(0);
  });
});
