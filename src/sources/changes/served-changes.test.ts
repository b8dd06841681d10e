import { afterEach, describe, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import {
  all,
  describeChangeSource,
  T0,
  WINDOW,
} from '../../../test/support/sources/source-compliance.js';
import { startReplay, type SourceReplay } from '../../../test/support/sources/source-replay.js';
import type { Change } from '../../domain/telemetry/records.js';
import { argocdReader } from './argocd-reader.js';
import { githubReader } from './github-reader.js';
import { grafanaReader } from './grafana-reader.js';
import { ServedChanges, type ChangeReader } from './served-changes.js';

const never = new AbortController().signal;
const open: SourceReplay[] = [];
afterEach(async () => {
  for (const replay of open.splice(0)) await replay.close();
});

const iso = (at: number) => new Date(at).toISOString();
const changesOf = (
  { url }: SourceReplay,
  reader: ChangeReader,
  selector: (node: string) => string,
) => {
  const selectors = new Map(['shop', 'cart'].map((id) => [id, selector(id)]));
  const server = { endpoint: url, egress: anyEgress };
  return new ServedChanges([{ id: 'source', server, selectors, ...reader }], WINDOW);
};
const replayOf = async (...given: Parameters<typeof startReplay>) => {
  const replay = await startReplay(...given);
  open.push(replay);
  return replay;
};
const read = (source: ServedChanges, node = 'shop') =>
  all(source.changes({ node, window: { from: 0, to: WINDOW.to } }, never));

describe('GitHub', () => {
  const SHA = 'a'.repeat(40);
  const deployment = ({ at, commit = SHA, version }: Partial<Change>) => ({
    id: 7,
    sha: commit,
    ref: version,
    environment: 'production',
    creator: { login: 'ada' },
    created_at: iso(at ?? 0).replace('.000', ''),
    description: null,
  });
  const github = (deployments: object[], commits: object[] = [], runs: object[] = []) =>
    replayOf(({ url }) => {
      if (url.pathname.endsWith('/actions/runs')) return { workflow_runs: runs };
      if (url.pathname.endsWith('/deployments')) return deployments;
      if (url.pathname.endsWith('/commits')) return commits;
      return {
        files: [{ filename: 'pool.yaml', patch: '-size: 10\n+size: 1' }, { filename: 'b' }],
      };
    });
  const from = (replay: SourceReplay) => changesOf(replay, githubReader, (node) => `acme/${node}`);

  describeChangeSource('a replayed GitHub', async (changes) => {
    const replay = await replayOf(({ url }) => {
      const [, , , node] = url.pathname.split('/');
      return url.pathname.endsWith('/deployments')
        ? changes.filter((each) => each.node === node).map(deployment)
        : url.pathname.endsWith('/runs')
          ? { workflow_runs: [] }
          : [];
    });
    return from(replay);
  });

  test('has deployments and commits, and what the latest commits changed', async () => {
    const commit = { message: 'Shrink the pool', committer: { date: iso(T0 + 1_000) } };
    const commits = Array.from({ length: 7 }, () => ({
      sha: SHA,
      author: { login: 'bob' },
      commit,
    }));
    const replay = await github([deployment({ at: T0 + 2_000, version: 'v7' })], commits);
    const found = await read(from(replay));
    expect(found[0]).toEqual({
      kind: 'deploy',
      at: T0 + 2_000,
      node: 'shop',
      id: 'deployment/7',
      commit: SHA,
      version: 'v7',
      author: 'ada',
      message: 'production',
    });
    expect(found[1]).toEqual({
      kind: 'commit',
      at: T0 + 1_000,
      node: 'shop',
      id: SHA,
      commit: SHA,
      author: 'bob',
      message: 'Shrink the pool',
      files: ['pool.yaml', 'b'],
      diff: '--- a/pool.yaml\n+++ b/pool.yaml\n-size: 10\n+size: 1\n--- a/b\n+++ b/b\n',
    });
    expect(found.filter(({ diff }) => diff !== undefined)).toHaveLength(5);
    expect(replay.asked).toHaveLength(8);
    expect(replay.asked[1]?.url.searchParams.get('since')).toBe(iso(WINDOW.from));
    expect(replay.asked[0]?.headers).toMatchObject({ 'user-agent': 'consilium' });
  });

  test('is asked for its own time by a query that is open to both sides', async () => {
    const replay = await github([]);
    const window = { from: 0, to: Number.MAX_SAFE_INTEGER };
    await all(from(replay).changes({ node: 'shop', window }, never));
    expect(replay.asked[1]?.url.searchParams.get('until')).toBe(iso(WINDOW.to));
  });

  test('asks for the commits of a folder', async () => {
    const replay = await github([]);
    await read(changesOf(replay, githubReader, () => 'acme/mono/services/shop'));
    expect(replay.asked.map(({ url }) => [url.pathname, url.searchParams.get('path')])).toEqual([
      ['/repos/acme/mono/deployments', null],
      ['/repos/acme/mono/commits', 'services/shop'],
      ['/repos/acme/mono/actions/runs', null],
    ]);
  });
});

describe('runs of workflows on GitHub', () => {
  const run = (more: object) => ({
    id: 9,
    head_sha: 'b'.repeat(40),
    head_branch: 'main',
    actor: { login: 'ada' },
    name: 'Build',
    path: '.github/workflows/ci.yml',
    conclusion: 'success',
    updated_at: iso(T0 + 3_000),
    display_title: 'Shrink the pool',
    ...more,
  });
  const deployment = {
    id: 7,
    sha: 'c'.repeat(40),
    ref: 'v7',
    created_at: iso(T0),
  };
  const changesWith = async (answer: (path: string) => unknown) => {
    const replay = await replayOf(({ url }) => answer(url.pathname));
    const found = await read(changesOf(replay, githubReader, () => 'acme/shop'));
    return found.map(({ id }) => id);
  };

  test('are changes if they deploy, and no deployment is known of their commit', async () => {
    const runs = [
      run({ id: 1, path: '.github/workflows/deploy.yml', conclusion: 'failure' }),
      run({ id: 2 }),
      run({ id: 3, name: 'Release', conclusion: 'skipped' }),
      run({ id: 4, name: 'Deploy', head_sha: deployment.sha }),
    ];
    const replay = await replayOf(({ url }) => {
      if (url.pathname.endsWith('/runs')) return { workflow_runs: runs };
      return url.pathname.endsWith('/deployments') ? [deployment] : [];
    });
    const found = await read(changesOf(replay, githubReader, () => 'acme/shop'));
    expect(found.map(({ id }) => id)).toEqual(['deployment/7', 'run/1']);
    expect(found[1]).toMatchObject({
      kind: 'deploy',
      at: T0 + 3_000,
      author: 'ada',
      version: 'main',
      message: 'Build ended with failure: Shrink the pool',
    });
  });

  test('that the token may not see hide no deployments', async () => {
    const answer = (path: string) => (path.endsWith('/runs') ? undefined : [deployment]);
    const seen = changesWith((path) => (path.endsWith('/commits') ? [] : answer(path)));
    expect(await seen).toEqual(['deployment/7']);
  });
});

describe('Argo CD', () => {
  const from = (replay: SourceReplay) => changesOf(replay, argocdReader, (node) => node);

  describeChangeSource('a replayed Argo CD', async (changes) => {
    const replay = await replayOf(({ url }) => {
      const own = changes.filter(({ node }) => url.pathname.endsWith(`/applications/${node}`));
      const history = own.map(({ at, commit, version }, id) => ({
        id,
        deployedAt: iso(at),
        source: { repoURL: 'x', targetRevision: version },
        ...(commit !== undefined && { revision: commit }),
      }));
      return { status: { history } };
    });
    return from(replay);
  });

  test('asks for an application of another namespace', async () => {
    const replay = await replayOf(() => ({ status: { history: [] } }));
    await read(changesOf(replay, argocdReader, () => 'team-a/shop'));
    const asked = replay.asked[0]?.url;
    expect([asked?.pathname, asked?.search]).toEqual([
      '/api/v1/applications/shop',
      '?appNamespace=team-a',
    ]);
  });

  test('has revisions of several sources, and a sync that failed', async () => {
    const replay = await replayOf(() => ({
      status: {
        history: [{ id: 3, deployedAt: iso(T0), revisions: ['abc', 'def'] }],
        operationState: { phase: 'Failed', message: 'no such image', finishedAt: iso(T0 + 1) },
      },
    }));
    expect(await read(from(replay))).toMatchObject([
      { id: 'shop@3', commit: 'abc, def' },
      { id: 'shop@failed', message: 'Argo CD could not sync shop: no such image', failed: true },
    ]);
  });
});

describe('Grafana', () => {
  const from = (replay: SourceReplay) =>
    changesOf(replay, grafanaReader, (node) => `deploy, ${node}`);

  test('has annotations with all tags of the selector', async () => {
    const replay = await replayOf(() => [
      { id: 1, time: T0 + 5, text: 'v7 of shop', tags: ['deploy', 'shop'], login: 'ada' },
      { id: 2, time: T0 + 6, text: 'failover', tags: null },
      { id: 3, time: 0, text: 'long ago', tags: [] },
    ]);
    expect(await read(from(replay))).toEqual([
      {
        kind: 'deploy',
        at: T0 + 5,
        id: 'annotation/1',
        message: 'v7 of shop',
        author: 'ada',
        node: 'shop',
      },
      { kind: 'manual', at: T0 + 6, id: 'annotation/2', message: 'failover', node: 'shop' },
    ]);
    expect(replay.asked[0]?.url.searchParams.getAll('tags')).toEqual(['deploy', 'shop']);
  });
});

describe.each([
  ['GitHub', githubReader],
  ['Argo CD', argocdReader],
  ['Grafana', grafanaReader],
])('%s', (_, reader) => {
  const from = (replay: SourceReplay) => changesOf(replay, reader, () => 'acme/shop');

  test.each([
    ['a page', '<html>'],
    ['another shape', '{"status":7}'],
    ['another list', '[7]'],
    ['too many', JSON.stringify(Array(101).fill({ id: 1, time: 1 }))],
    ['large', 'x'.repeat(3 * 2 ** 20)],
  ])('whose answer is %s fails', async (_name, body) => {
    const replay = await replayOf(() => []);
    replay.answerNext(200, body);
    await expect(read(from(replay))).rejects.toMatchObject({ failure: 'failed' });
  });

  test('that refuses the credential says so', async () => {
    const replay = await replayOf(() => []);
    replay.answerNext(403, '{"message":"Bad credentials"}');
    await expect(read(from(replay))).rejects.toMatchObject({ failure: 'refused' });
  });

  test('is not asked about a time before what is read', async () => {
    const replay = await replayOf(() => []);
    const query = { node: 'shop', window: { from: 0, to: WINDOW.from - 1 } };
    expect(await all(from(replay).changes(query, never))).toEqual([]);
    expect(replay.asked).toEqual([]);
  });
});
