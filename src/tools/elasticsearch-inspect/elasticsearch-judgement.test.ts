import { describe, expect, test } from '@jest/globals';
import type { ClusterState } from '../../sources/elasticsearch/read-cluster-state.js';
import { judgeElasticsearch } from './elasticsearch-judgement.js';

const HEALTH: ClusterState['health'] = {
  cluster_name: 'shop',
  status: 'green',
  number_of_nodes: 3,
  number_of_data_nodes: 3,
  active_shards: 12,
  unassigned_shards: 0,
  initializing_shards: 0,
  relocating_shards: 0,
  number_of_pending_tasks: 0,
  task_max_waiting_in_queue_millis: 0,
};
const MEMBER = { name: 'es-1', heapPercent: 40, diskPercent: 50, rejected: 7 };

const shown = (more: Partial<ClusterState>) =>
  judgeElasticsearch(
    { health: HEALTH, answerMs: 5, members: [MEMBER], rejected: 0, requests: 3, ...more },
    1_000,
  ).issues.map(({ severity, title }) => `${severity}: ${title}`);

test('a cluster that is well has no issues', () => expect(shown({})).toEqual([]));

describe('finds', () => {
  test.each<[string, Partial<ClusterState>, string[]]>([
    [
      'a red cluster',
      { health: { ...HEALTH, status: 'red', unassigned_shards: 2 } },
      ['critical: the cluster is red: primary shards have no place'],
    ],
    [
      'a yellow cluster',
      { health: { ...HEALTH, status: 'yellow', unassigned_shards: 2 } },
      ['warning: the cluster is yellow: replicas have no place'],
    ],
    [
      'full disks and heaps, by node',
      {
        members: [
          { ...MEMBER, diskPercent: 88 },
          { ...MEMBER, name: 'es-2', diskPercent: 97, heapPercent: 96 },
        ],
      },
      [
        'warning: the disk of es-1 is 88 % full',
        'critical: the disk of es-2 is 97 % full',
        'critical: the heap of es-2 is 96 % full',
      ],
    ],
    [
      'refused requests',
      { rejected: 3 },
      ['warning: refuses writes or searches: 3 between two readings'],
    ],
    [
      'changes that wait',
      { health: { ...HEALTH, task_max_waiting_in_queue_millis: 45_000 } },
      ['warning: a change of the cluster has waited for 45 s'],
    ],
  ])('%s', (_, state, titles) => expect(shown(state)).toEqual(titles));
});

test('says why a shard has no place', () => {
  const unassigned = { index: 'orders', isPrimary: true, why: 'no valid shard copy' };
  const health = { ...HEALTH, status: 'red' as const, unassigned_shards: 1 };
  const state = { health, answerMs: 5, members: [], rejected: 0, requests: 4, unassigned };
  expect(judgeElasticsearch(state, 1_000).issues[0]?.detail).toContain(
    'a primary of orders: no valid shard copy',
  );
});
