import { expect, it } from '@jest/globals';
import { spec } from '../../../test/support/incidents/drafts.js';
import { rememberSecret } from '../../config/known-secrets.js';
import type { RunSpec } from '../../domain/run.js';
import { foreignRedactorOf, redactorOf } from './redactor.js';

const withPassword = (password: string): RunSpec => ({
  ...spec,
  topology: {
    ...spec.topology,
    nodes: [
      {
        id: 'cache',
        name: 'Cache',
        kind: 'redis',
        dependsOn: [],
        attributes: {},
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

const named = (...names: string[]): RunSpec => ({
  ...spec,
  topology: {
    ...spec.topology,
    nodes: names.map((name, i) => ({
      id: `n${i}`,
      name,
      kind: 'service',
      dependsOn: [],
      attributes: {},
    })),
  },
});

it.each(['Client secret', 'Tokenizer', 'Sessions without password', 'api-keys (EU)'])(
  'leaves a sentence about the node %s as it is, but not what a target writes',
  (name) => {
    const run = named(name, 'Web');
    const sentence = `2 root causes. ${name}: refused it. Web: answers 500.`;
    expect(redactorOf(run)(sentence)).toBe(sentence);
    const written = `${name}: hunter2-and-more`;
    expect(foreignRedactorOf(run)(written)).toBe(foreignRedactorOf(named('Web'))(written));
  },
);

it('redacts the rest of a sentence about a node', () => {
  const redact = redactorOf(named('Client secret'));
  expect(redact('Client secret: answers 500: password=letmein')).toBe(
    'Client secret: answers 500: password=***',
  );
  expect(redact('My client secret: letmein')).toBe('My client secret: ***');
  expect(redact('Client secret=letmein')).toBe('Client secret=***');
});

it('leaves sentences about the nodes of any topology in a chat, but not what a person writes', () => {
  const chat: RunSpec = { ...named('Web'), kind: 'chat' };
  const sentence = '- Client secret: connection refused; its token=hunter2 is old';
  expect(redactorOf(chat)(sentence)).toBe(
    '- Client secret: connection refused; its token=*** is old',
  );
  expect(foreignRedactorOf(chat)('Client secret: hunter2')).toBe('Client secret: ***');
});
