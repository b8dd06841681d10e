import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  hasJournal,
  type JournalEntry,
  writeJournal,
} from '../../../test/support/programs/journal-program.js';
import { describeLogSource, T0, WINDOW } from '../../../test/support/sources/source-compliance.js';
import type { LinesQuestion } from '../live/served-logs.js';
import { MachineLogs } from './machine-logs.js';
import { readMachineLog } from './read-machine-log.js';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});
const never = new AbortController().signal;
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  folders.push(folder);
  return folder;
};

const ask = (directory: string, question: Partial<LinesQuestion> = {}, units = ['*']) =>
  readMachineLog(
    { id: 'host', kind: 'journald', units, directory },
    { selector: 'shop.service', window: WINDOW, most: 100, ...question },
    never,
  );

test('reads only units that are listed', async () => {
  const asked = ask(newFolder(), { selector: 'ssh.service' }, ['shop.service']);
  await expect(asked).rejects.toMatchObject({ failure: 'refused' });
});

// Without systemd-journal-remote (Debian: apt-get install systemd-journal-remote) there is no
// journal to read.
if (hasJournal())
  describe('a real journal', () => {
    const PRIORITIES: Readonly<Record<string, string>> = { ERROR: '3', WARN: '4', INFO: '6' };
    const entry = (
      unit: string,
      second: number,
      message: JournalEntry['fields'][string],
      more: JournalEntry['fields'] = {},
    ): JournalEntry => ({
      at: T0 + second * 1_000,
      fields: { MESSAGE: message, PRIORITY: '6', _SYSTEMD_UNIT: `${unit}.service`, ...more },
    });
    const journalOf = (...entries: JournalEntry[]) => {
      const folder = newFolder();
      writeJournal(folder, entries);
      return folder;
    };

    describeLogSource('a journal', (records) => {
      const directory = journalOf(
        ...records.map(({ at, node, severity, body, traceId, spanId }) =>
          entry(node ?? '', (at - T0) / 1_000, body, {
            PRIORITY: PRIORITIES[severity] ?? '6',
            ...(traceId !== undefined && { TRACE_ID: traceId }),
            ...(spanId !== undefined && { SPAN_ID: spanId }),
          }),
        ),
      );
      const selectors = new Map(['shop', 'cart'].map((id) => [id, `${id}.service`]));
      const read = (question: LinesQuestion) => ask(directory, question);
      return Promise.resolve(new MachineLogs([{ id: 'source', selectors, read }], WINDOW));
    });

    test('has the lines of systemd about a unit, and of the kernel only if everything is selected', async () => {
      const directory = journalOf(
        entry('init', 10, 'shop.service: Failed with result oom-kill.', {
          UNIT: 'shop.service',
          _PID: '1',
          PRIORITY: '4',
          MESSAGE_ID: 'd9b373ed55a64feb8242e02dbe79a49c',
        }),
        entry('x', 9, 'Out of memory: Killed process 7 (shop)', { _TRANSPORT: 'kernel' }),
      );
      expect((await ask(directory)).map(({ body, severity }) => [severity, body])).toEqual([
        ['WARN', 'shop.service: Failed with result oom-kill.'],
      ]);
      expect(await ask(directory, { selector: '*' })).toHaveLength(2);
    });

    test('parts lines that look like failures from others, by priority and by words', async () => {
      const directory = journalOf(
        entry('shop', 1, 'order 1 placed'),
        entry('shop', 2, 'Connection REFUSED by cart'),
        entry('shop', 3, 'pool is full', { PRIORITY: '4' }),
      );
      const bodies = async (lines: 'telling' | 'other') =>
        (await ask(directory, { lines })).map(({ body }) => body);
      expect(await bodies('telling')).toEqual(['pool is full', 'Connection REFUSED by cart']);
      expect(await bodies('other')).toEqual(['order 1 placed']);
    });

    test('reads bytes that are no text, and takes a text literally', async () => {
      const directory = journalOf(
        entry('shop', 1, Buffer.from('caf\u00e9 (a|b) \u0001\u0002')),
        entry('shop', 2, 'a'),
      );
      const found = await ask(directory, { text: '(A|B)' });
      expect(found.map(({ body }) => body)).toEqual(['café (a|b) \u0001\u0002']);
      expect(await ask(directory, { text: 'nowhere' })).toEqual([]);
    });

    test('reads the newest lines, within bounds', async () => {
      const long = 'x'.repeat(100_000);
      const lines = Array.from({ length: 60 }, (_, i) => entry('shop', i, `${i} ${long}`));
      const found = await ask(journalOf(...lines));
      expect(found[0]).toMatchObject({ at: T0 + 59_000 });
      expect(found.length).toBeLessThan(60);
      expect(found[0]?.body).toHaveLength(4_096);
    });

    test('a folder without a journal is a failure', async () => {
      await expect(ask(newFolder())).rejects.toMatchObject({
        failure: 'failed',
        message: expect.stringContaining('there is no journal in '),
      });
    });

    test('that is not there is a failure', async () => {
      await expect(ask(join(newFolder(), 'nowhere'))).rejects.toMatchObject({ failure: 'failed' });
    });
  });
