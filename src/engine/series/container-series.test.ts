import { expect, test } from '@jest/globals';
import { withContainers } from './container-series.js';

const NODES = ['box-1', 'shop', 'shop-db', 'tool'].map((id) => ({ id, name: id, dependsOn: [] }));
const nodeOf = (name: string, node: string, labels: Record<string, string>) =>
  withContainers([{ name, node, labels, times: [], values: [] }], NODES)[0]?.node;

test('what a container uses is of its workload, not of the machine that measures it', () => {
  const cpu = 'container_cpu_usage_seconds_total';
  expect(nodeOf(cpu, 'box-1', { pod: 'shop-db-0' })).toBe('shop-db');
  expect(nodeOf(cpu, 'box-1', { container_name: 'tool' })).toBe('tool');
  expect(nodeOf(cpu, 'box-1', { pod: 'other-1' })).toBe('box-1');
});

test('a container beside the main one, and what a machine itself measures, stay where they are', () => {
  expect(nodeOf('container_memory_rss', 'shop', { pod: 'shop-5d-x', container: 'tool' })).toBe(
    'shop',
  );
  expect(nodeOf('node_disk_io_time', 'box-1', { pod: 'shop-5d-x' })).toBe('box-1');
});
