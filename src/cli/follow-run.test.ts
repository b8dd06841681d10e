import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Client, NamedEvent } from '../client/index.js';
import { ConsiliumError } from '../domain/errors.js';
import { followRun } from './follow-run.js';
import { printError } from './print-error.js';
import { isBundle, readBundle } from './read-bundle.js';

afterEach(() => void jest.restoreAllMocks());

const place = { run_id: 'r1', sequence: 1, timestamp: '2026-01-01T00:00:00Z', source: null };
const event = (name: string, data: object) => ({ name, data, ...place }) as unknown as NamedEvent;
const none = { root_causes: [], findings: [], unchecked: [], next_steps: [], nodes: [] };
const report = {
  verdict: 'healthy',
  headline: 'All is well.',
  impact: '',
  ...none,
  counts: { critical: 0, warning: 0, info: 0 },
};
const completed = event('lifecycle.completed', {
  report,
  summary: 'All is well.',
  partial: false,
  reasons: [],
});

/** A service whose run has these events. */
function having(events: NamedEvent[], cancel: () => Promise<void> = async () => undefined) {
  const cancelled: string[] = [];
  async function* stream() {
    yield* events;
  }
  const client = {
    trigger: async () => ({ runId: 'r1', events: stream() }),
    cancel: async (runId: string) => {
      cancelled.push(runId);
      return cancel();
    },
  } as unknown as Client;
  return { client, cancelled };
}
const follow = (client: Client, interrupt = new AbortController().signal, shown: string[] = []) =>
  followRun(client, {
    topologyId: 7,
    userMessage: '?',
    screen: undefined,
    interrupt,
    onFailure: (line) => void shown.push(line),
  });

describe('followRun', () => {
  it('returns how the run ended', async () => {
    const { client } = having([event('llm.stream', { content: 'x' }), completed]);
    expect(await follow(client)).toMatchObject({
      runId: 'r1',
      end: 'lifecycle.completed',
      verdict: 'healthy',
    });
  });

  it('warns on standard error of each damaged part of a recording, once', async () => {
    const said = jest.spyOn(console, 'error').mockReturnValue();
    const left_out = ['logs/a.ndjson: 1 damaged line was left out, the first is line 7'];
    const result = event('llm.tool_result', { result: { measurements: { left_out } } });
    const other = event('llm.tool_result', { result: 'cut to fit' });
    await follow(having([other, result, result, completed]).client);
    expect(said.mock.calls).toEqual([[`Warning: ${left_out[0]}`]]);
  });

  it('reports each failure of an agent once, and none of a node', async () => {
    const failed = event('system.error', { code: 'AI_ERROR', message: 'The key is refused.' });
    const node = event('system.error', { code: 'X_CONNECTION_FAILED', message: 'x', node: 'web' });
    const shown: string[] = [];
    await follow(having([failed, failed, node, completed]).client, undefined, shown);
    expect(shown).toEqual(['✗ AI_ERROR: The key is refused.']);
  });

  it('fails if the stream ends without a terminal event', async () => {
    await expect(follow(having([]).client)).rejects.toThrow('ended without a terminal event');
  });

  it('cancels the run at an interrupt and follows it to its end', async () => {
    const gone = async () => {
      throw new ConsiliumError('CANCEL_FAILED', 'Execution already completed');
    };
    const { client, cancelled } = having([completed], gone);
    expect(await follow(client, AbortSignal.abort())).toMatchObject({ end: 'lifecycle.completed' });
    expect(cancelled).toEqual(['r1']);
  });
});

describe('printError', () => {
  it('lists faults by line, those without one last', () => {
    const lines: string[] = [];
    jest.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line));
    const faults = [
      { path: 'id', message: 'is required' },
      { path: 'nodes[1]', message: 'is wrong' },
      { path: '', message: 'is odd' },
    ];
    const error = new ConsiliumError('VALIDATION_FAILED', 'It has faults\n  id …', { faults });
    printError(error, (path) => ({ id: 9, 'nodes[1]': 4 })[path]);
    expect(lines).toEqual([
      'It has faults',
      '  line 4, nodes[1]: is wrong',
      '  line 9, id: is required',
      '  the file: is odd',
    ]);
  });
});

describe('a bundle', () => {
  const folder = mkdtempSync(join(tmpdir(), 'consilium-test-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is read as what a client posts', async () => {
    expect(await isBundle(folder)).toBe(false);
    writeFileSync(join(folder, 'incident.yaml'), 'message: " Orders fail. "\n');
    writeFileSync(join(folder, 'topology.yaml'), 'id: 7\n');
    expect(await isBundle(folder)).toBe(true);
    expect(await readBundle(folder)).toEqual({
      folder: dirname(folder),
      name: basename(folder),
      message: 'Orders fail.',
      content: { id: 7, incident: basename(folder) },
    });
  });
});
