import { afterEach, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import {
  brokenNamespace,
  KUBERNETES_TOKEN,
  startKubernetesReplay,
  type KubernetesReplay,
  type KubernetesState,
} from '../../../test/support/sources/kubernetes-replay.js';
import { contextOf, testCa } from '../../../test/support/loopback.js';
import { kubernetesCheck } from '../../tools/kubernetes-check/kubernetes-check.js';
import { liveSources } from '../live/live-sources.js';
import { observe } from '../observe.js';
import { UnreadNodesError } from '../unread-nodes.js';

const live = new AbortController().signal;
const replays: KubernetesReplay[] = [];
afterEach(async () => {
  await Promise.all(replays.splice(0).map((replay) => replay.close()));
});

const SECRETS: Readonly<Record<string, string>> = { TOKEN: KUBERNETES_TOKEN, WRONG: 'wrong' };
const reach = { egress: anyEgress, secretOf: (name: string) => SECRETS[name] ?? testCa() };

/** The same namespace without any object. */
const emptyNamespace = (): KubernetesState =>
  new Map([...brokenNamespace()].map(([key, { kind }]) => [key, { kind, items: [] }]));

/**
 * Two clusters with a namespace of the same name; the node `prod` is `orders` of one of them,
 * `stage` that of the other.
 */
async function twoClusters({ stageToken = 'TOKEN', prodSelector = 'deployment/orders' } = {}) {
  const listedAt = async (id: string, state: KubernetesState, token: string) => {
    const replay = await startKubernetesReplay(state);
    replays.push(replay);
    return {
      id,
      kind: 'kubernetes' as const,
      namespaces: ['shop'],
      endpoint: replay.url,
      auth: { bearer: `\${env:${token}}` },
      ca: '${env:CA}',
    };
  };
  const listed = [
    await listedAt('stage', emptyNamespace(), stageToken),
    await listedAt('prod', brokenNamespace(), 'TOKEN'),
  ];
  const nodes = ['prod', 'stage'].map((id) => ({
    id,
    name: id,
    kind: 'workload',
    dependsOn: [],
    attributes: {},
    in: { [id]: id === 'prod' ? prodSelector : 'deployment/orders' },
  }));
  const given = listed.map(({ id, kind }) => ({ id, kind, provides: [] }));
  const now = Date.parse('2026-11-22T13:04:00Z');
  const sources = liveSources({ nodes, sources: given }, listed, { ...reach, now });
  const check = (id: string) => {
    const node = nodes.find((each) => each.id === id);
    if (node === undefined) throw new Error(id);
    return kubernetesCheck.run({ node: id }, { ...contextOf(node, { nodes }), sources });
  };
  return { check, sources, seen: () => observe(sources, nodes, live) };
}

const titlesOf = ({ issues }: { issues: readonly { title: string }[] }) =>
  issues.map(({ title }) => title);

test('a node has the objects of its own cluster, though another has some of the same names', async () => {
  const { check, seen } = await twoClusters();
  expect(titlesOf(await check('stage'))).toEqual(['Deployment orders does not exist']);
  expect(titlesOf(await check('prod'))).toContain('Deployment orders has 0 of 1 replicas ready');
  const { kubernetesByNode, failed } = await seen();
  expect(kubernetesByNode.get('stage')).toEqual([]);
  expect(kubernetesByNode.get('prod')).not.toEqual([]);
  expect([...failed]).toEqual([]);
});

test('a cluster that refuses the credential leaves only its own nodes unread', async () => {
  const { check, seen } = await twoClusters({ stageToken: 'WRONG' });
  await expect(check('stage')).rejects.toMatchObject({ failure: 'refused' });
  expect(titlesOf(await check('prod'))).toContain('Deployment orders has 0 of 1 replicas ready');
  const { kubernetesByNode, failed } = await seen();
  expect(kubernetesByNode.get('stage')).toEqual([]);
  expect(kubernetesByNode.get('prod')).not.toEqual([]);
  const failure = failed.get('kubernetes');
  expect(failure instanceof UnreadNodesError && [...failure.nodes.keys()]).toEqual(['stage']);
});

test('a node in a namespace that is not read is not called missing, by no tool', async () => {
  const { check, sources } = await twoClusters({ prodSelector: 'payments/deployment/orders' });
  const unread = {
    failure: 'failed',
    message: expect.stringContaining(
      'the namespace payments is not read: its source lists shop',
    ) as unknown,
  };
  await expect(check('prod')).rejects.toMatchObject(unread);
  const window = { from: 0, to: Number.MAX_SAFE_INTEGER };
  for (const answer of [
    sources.logs.records({ node: 'prod', window }, live),
    sources.changes.changes({ node: 'prod', window }, live),
  ]) {
    const read = async () => {
      if (answer.kind === 'records') for await (const _ of answer.records);
    };
    await expect(read()).rejects.toMatchObject(unread);
  }
});
