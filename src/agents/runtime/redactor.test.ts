import { expect, it } from '@jest/globals';
import { spec } from '../../../test/support/drafts.js';
import { rememberSecret } from '../../config/known-secrets.js';
import type { RunSpec } from '../../domain/run.js';
import { redactorOf } from './redactor.js';

const withPassword = (password: string): RunSpec => ({
  ...spec,
  topology: {
    ...spec.topology,
    nodes: [
      {
        ...{ id: 'cache', name: 'Cache', kind: 'redis', dependsOn: [], attributes: {} },
        endpoint: `redis://shop:${password}@127.0.0.1:6379`,
      },
    ],
  },
});

it('replaces the secrets of the topology, in every encoding', () => {
  const redact = redactorOf(withPassword('tiger-lily'));
  const basic = Buffer.from('shop:tiger-lily').toString('base64');
  const shown = redact(`WRONGPASS tiger-lily, header ${basic}`);
  expect(shown).not.toContain('tiger-lily');
  expect(shown).not.toContain(basic.slice(8));
});

it('leaves an identifier whole that has a secret in it', () => {
  const run = withPassword('worker');
  const [node] = run.topology.nodes;
  const nodes = [{ ...node, id: 'worker-queue' }] as RunSpec['topology']['nodes'];
  const redact = redactorOf({ ...run, topology: { ...run.topology, nodes } });
  expect(['worker', 'worker-queue', 'signed in with worker'].map(redact)).toEqual([
    'worker',
    'worker-queue',
    'signed in with ***',
  ]);
});

it('replaces what looks like a credential', () => {
  expect(redactorOf(spec)('DB_PASSWORD=letmein')).toBe('DB_PASSWORD=***');
});

it('replaces a secret that the process has learnt since', () => {
  const run = withPassword('tiger-lily');
  expect(redactorOf(run)('key of-the-provider-1')).toBe('key of-the-provider-1');
  rememberSecret('of-the-provider-1');
  expect(redactorOf(run)('key of-the-provider-1')).toBe('key ***');
});
