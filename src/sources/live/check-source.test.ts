import { describe, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { startElasticsearchReplay } from '../../../test/support/sources/elasticsearch-replay.js';
import { GitRepositoryFolder, hasGit } from '../../../test/support/programs/git-repository.js';
import { startLokiReplay } from '../../../test/support/sources/loki-replay.js';
import { startReplay } from '../../../test/support/sources/source-replay.js';
import {
  startJaegerReplay,
  startTempoReplay,
} from '../../../test/support/sources/trace-replays.js';
import { checkSource } from './check-source.js';
import type { ListedHttp } from './sources-file.js';

const SECRET = 'correct-horse-battery';
const reach = { egress: anyEgress, secretOf: () => SECRET };

/** Documented answers of the API of a kind, the second where there is nothing to list. */
const DOCUMENTED = {
  github: [
    {
      resources: { core: { limit: 5000, used: 1, remaining: 4999, reset: 1_700_000_000 } },
      rate: {},
    },
  ],
  argocd: [
    { metadata: { resourceVersion: '1' }, items: [{ metadata: { name: 'default' } }] },
    { items: null },
    {},
  ],
  grafana: [[{ id: 1124, dashboardId: 468, time: 1_507_266_395_000, tags: [], text: 'x' }], []],
  'elasticsearch-cluster': [{ cluster_name: 'testcluster', status: 'yellow', timed_out: false }],
  rabbitmq: [[{ name: 'rabbit@shop' }]],
  alertmanager: [{ cluster: { status: 'disabled' }, uptime: '2026-01-01T00:00:00Z' }],
};

describe.each([
  { kind: 'loki' as const, start: startLokiReplay, hidden: 'Nodes have no logs from it.' },
  {
    kind: 'elasticsearch' as const,
    start: startElasticsearchReplay,
    hidden: 'Nodes have no logs from it.',
    indices: 'logs-*',
  },
  { kind: 'tempo' as const, start: startTempoReplay, hidden: 'Nodes have no traces from it.' },
  { kind: 'jaeger' as const, start: startJaegerReplay, hidden: 'Nodes have no traces from it.' },
  ...Object.entries(DOCUMENTED).map(([kind, [answer]]) => ({
    kind: kind as keyof typeof DOCUMENTED,
    start: () => startReplay(() => answer),
    hidden: ['github', 'argocd', 'grafana'].includes(kind)
      ? 'Nodes have no changes from it.'
      : kind === 'alertmanager'
        ? 'Nodes have no alerts from it.'
        : 'A diagnosis reports this at the nodes that select from it.',
  })),
])('$kind', ({ start, hidden, ...given }) => {
  test.each([
    [200, 'ok', ''],
    [401, 'refused', 'no right to read'],
    [500, 'failed', hidden],
  ])('is asked for something small: %i', async (status, state, detail) => {
    const replay = await start([]);
    if (status !== 200) replay.answerNext(status, '{}');
    const auth = { user: 'consilium', password: '${env:PASSWORD}' };
    const listed = { id: 'a', ...given, endpoint: replay.url, auth } as ListedHttp;
    expect(await checkSource(listed, reach, new AbortController().signal)).toMatchObject({
      id: 'a',
      kind: given.kind,
      state,
      detail: expect.stringContaining(detail) as unknown,
    });
    await replay.close();
  });
});

test('shows no credential that a program writes to its standard error', async () => {
  const listed = {
    id: 'tickets',
    kind: 'mcp' as const,
    env: { TOKEN: '${env:TOKEN}' },
    command: ['/bin/sh', '-c', 'echo "cannot sign in with $TOKEN" >&2; exit 1'],
  };
  const { state, detail } = await checkSource(listed, reach, new AbortController().signal);
  expect(state).toBe('unreachable');
  expect(detail).toContain('cannot sign in with ***');
  expect(detail).not.toContain(SECRET);
});

test.each([
  [import.meta.filename, 'ok', ''],
  ['/nowhere/error.log', 'failed', 'Nodes have no logs from it.'],
])('reads a log file: %s', async (path, state, detail) => {
  const listed = { id: 'edge', kind: 'logfile' as const, path };
  expect(await checkSource(listed, reach, new AbortController().signal)).toMatchObject({
    id: 'edge',
    endpoint: '',
    state,
    detail: expect.stringContaining(detail) as unknown,
  });
});

if (hasGit())
  test('reads the latest commit of a repository', async () => {
    const folder = new GitRepositoryFolder();
    const check = () =>
      checkSource(
        { id: 'code', kind: 'git', path: folder.path, deployTags: [] },
        reach,
        new AbortController().signal,
      );
    expect(await check()).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('Nodes have no changes from it.') as unknown,
    });
    folder.commit(Date.now(), 'Begin', { a: '1' });
    expect(await check()).toEqual({
      id: 'code',
      kind: 'git',
      endpoint: '',
      state: 'ok',
      detail: '',
    });
    folder.remove();
  });

async function stateOf(kind: ListedHttp['kind'], answer: unknown) {
  const replay = await startReplay(() => answer);
  const listed = {
    id: 'a',
    kind,
    endpoint: replay.url,
    ...(kind === 'elasticsearch' && { indices: 'logs-*' }),
  } as ListedHttp;
  const checked = await checkSource(listed, reach, new AbortController().signal);
  await replay.close();
  return checked;
}

test.each([
  ...(['prometheus', 'loki', 'elasticsearch', 'tempo', 'jaeger', 'github', 'argocd'] as const),
  ...(['grafana', 'rabbitmq', 'elasticsearch-cluster', 'alertmanager'] as const),
])('says failed if the server is not the API of %s, and what came', async (kind) => {
  for (const answer of [{ status: 'UP' }, [1], 'ok', 7]) {
    const { state, detail } = await stateOf(kind, answer);
    expect([answer, state]).toEqual([answer, 'failed']);
    expect(detail).toContain(
      `the server is not the API of the kind ${kind}: ${JSON.stringify(answer)}`,
    );
  }
  const { detail } = await stateOf(kind, { page: 'x'.repeat(10_000) });
  expect(detail.length).toBeLessThan(300);
});

test.each(Object.entries(DOCUMENTED))(
  'knows each documented answer of %s',
  async (kind, answers) => {
    for (const answer of answers)
      expect(await stateOf(kind as keyof typeof DOCUMENTED, answer)).toMatchObject({ state: 'ok' });
  },
);
