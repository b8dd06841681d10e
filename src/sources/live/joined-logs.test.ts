import { expect, test } from '@jest/globals';
import { all, WINDOW } from '../../../test/support/sources/source-compliance.js';
import type { Change, LogRecord } from '../../domain/telemetry/records.js';
import { SourceError } from '../http/source-error.js';
import { LogSource, notRecorded } from '../ports.js';
import { UnreadNodesError } from '../unread-nodes.js';
import { JoinedChanges } from './joined-changes.js';
import { JoinedLogs } from './joined-logs.js';

const never = new AbortController().signal;
const refused = new SourceError('refused', 'may not look');

class OneLine extends LogSource {
  constructor(
    private readonly body: string,
    private readonly error?: Error,
  ) {
    super();
  }
  records() {
    const { body, error } = this;
    const records = (async function* (): AsyncGenerator<LogRecord> {
      await Promise.resolve();
      if (error) throw error;
      yield { at: WINDOW.from, severity: '', body, labels: {} };
    })();
    return { kind: 'records' as const, coverage: 'partial' as const, records };
  }
  patterns() {
    return notRecorded('log patterns');
  }
}

async function reading(sources: readonly LogSource[], node?: string) {
  const lines: string[] = [];
  const query = { window: WINDOW, ...(node !== undefined && { node }) };
  const answer = new JoinedLogs(sources).records(query, never);
  if (answer.kind !== 'records') throw new Error(answer.reason);
  try {
    for await (const { body } of answer.records) lines.push(body);
  } catch (error) {
    return { lines, error };
  }
  return { lines };
}

test('reads one source after the other', async () => {
  const joined = new JoinedLogs([new OneLine('a'), new OneLine('b')]);
  expect(await all(joined.records({ window: WINDOW }, never))).toMatchObject([
    { body: 'a' },
    { body: 'b' },
  ]);
});

test('reads the others if one cannot be read, and names the nodes of that one', async () => {
  const unread = new UnreadNodesError(new Map([['shop', refused]]));
  const { lines, error } = await reading([new OneLine('a', unread), new OneLine('b')]);
  expect(lines).toEqual(['b']);
  expect(error).toMatchObject({ nodes: new Map([['shop', refused]]) });
  expect(await reading([new OneLine('a', refused), new OneLine('b')], 'shop')).toEqual({
    lines: ['b'],
    error: refused,
  });
});

test('rejects with the reason of an aborted signal', async () => {
  const sources = [new OneLine('a', new Error('enough')), new OneLine('b')];
  expect(await reading(sources)).toMatchObject({ lines: [], error: { message: 'enough' } });
});

test('joins changes alike', async () => {
  const answer = () => ({
    kind: 'records' as const,
    coverage: 'complete' as const,
    records: (async function* (): AsyncGenerator<Change> {
      await Promise.resolve();
      yield { kind: 'deploy', at: WINDOW.from };
    })(),
  });
  const joined = new JoinedChanges([{ changes: answer }, { changes: answer }]);
  expect(await all(joined.changes({ window: WINDOW }, never))).toHaveLength(2);
});
