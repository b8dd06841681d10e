import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { closedPort, contextOf, nodeOf } from '../../../test/support/loopback.js';
import {
  hasRabbitmq,
  startRabbitmq,
  type RabbitmqProgram,
} from '../../../test/support/programs/rabbitmq-program.js';
import { startReplay, type SourceReplay } from '../../../test/support/sources/source-replay.js';
import { until } from '../../../test/support/until.js';
import type { Egress } from '../../sources/http/source-server.js';
import { checkSource } from '../../sources/live/check-source.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { EgressPolicy } from '../egress/egress-policy.js';
import { sourceEgress } from '../egress/source-egress.js';
import { rabbitmqInspect } from './rabbitmq-inspect.js';

interface Looking {
  user?: string;
  password?: string;
  selector?: string;
  egress?: Egress;
}

async function look(
  endpoint: string,
  { user = 'monitor', password = 'hunter22', selector = '*', egress = anyEgress }: Looking = {},
) {
  const node = { ...nodeOf('rabbitmq'), in: { mq: selector } };
  const listed = { id: 'mq', kind: 'rabbitmq' as const, endpoint };
  const auth = { user, password: '${env:PASSWORD}' };
  const sources = liveSources(
    { nodes: [node], sources: [{ id: 'mq', kind: 'rabbitmq', provides: [] }] },
    [{ ...listed, auth }],
    { egress, secretOf: () => password, now: Date.now() },
  );
  const context = { ...contextOf(node), sources };
  return expectSound(await rabbitmqInspect.run({ node: 'target' }, context));
}

test('applies to a node that selects from a RabbitMQ', () => {
  const sources = [{ id: 'mq', kind: 'rabbitmq' as const, provides: [] }];
  const node = nodeOf('rabbitmq', '127.0.0.1:5672');
  expect(rabbitmqInspect.appliesTo({ ...node, in: { mq: '*' } }, sources)).toBe(true);
  expect(rabbitmqInspect.appliesTo(node, sources)).toBe(false);
  expect(rabbitmqInspect.appliesTo({ ...node, kind: 'service', in: { mq: '*' } }, sources)).toBe(
    false,
  );
});

describe('a hostile or broken server', () => {
  let replay: SourceReplay | undefined;
  afterEach(async () => {
    await replay?.close();
    replay = undefined;
  });

  test.each([
    ['a page', '<html>'],
    ['a list', '[]'],
    ['no version', '{"rabbitmq_version":7}'],
    ['deep', `{"rabbitmq_version":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['large', 'x'.repeat(3 * 2 ** 20)],
  ])('whose answer is %s leaves the node unchecked', async (_, body) => {
    replay = await startReplay(() => undefined);
    replay.answerNext(200, body);
    await expect(look(replay.url)).rejects.toMatchObject({ failure: 'failed' });
  });

  test('has its texts cut and cleaned, and few of its issues shown', async () => {
    const name = `q\u0000\n${'x'.repeat(1_000)}`;
    const items = Array.from({ length: 500 }, () => ({
      name,
      vhost: '/',
      consumers: 0,
      messages_ready: 1e12,
      messages_unacknowledged: -1,
    }));
    const answers: Record<string, unknown> = {
      '/api/overview': { rabbitmq_version: name },
      '/api/nodes': [{ name, running: true }],
      '/api/queues': { total_count: 1e9, items },
      '/api/connections': { total_count: 0, items: [] },
    };
    replay = await startReplay(({ url }) => answers[url.pathname] ?? { status: 'ok' });
    const { issues, measurements } = await look(replay.url);
    expect(issues).toHaveLength(16);
    expect(measurements).toMatchObject({ issues_left_off: 485, queues: 1e9 });
  });

  test('says which certificate of a listener ends first, as RabbitMQ 3.10 answers it', async () => {
    const expired = {
      node: 'rabbit@a',
      port: 5671,
      protocol: 'amqp/ssl',
      interface: '127.0.0.1',
      cacertfile: '/ca.pem',
      cacertfile_expires_on: ['2099-12-01 7:01:04'],
      certfile: '/cert.pem',
      certfile_expires_on: ['2099-12-06 7:01:04'],
    };
    const check = { status: 'failed', reason: 'Certificates expiring', expired: [expired] };
    const answers: Record<string, unknown> = {
      '/api/overview': { rabbitmq_version: '3.10.8' },
      '/api/health/checks/certificate-expiration/1/months': check,
      '/api/nodes': [],
      '/api/queues': { total_count: 0, items: [] },
      '/api/connections': { total_count: 0, items: [] },
    };
    replay = await startReplay(({ url }) => answers[url.pathname] ?? { status: 'ok' });
    expect((await look(replay.url)).issues).toMatchObject([
      { severity: 'warning', title: 'certificate of port 5671 ends on 2099-12-01' },
    ]);
  });

  test('that does not answer is unreachable; one that may not be asked is not', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    expect(await look(url)).toMatchObject({
      status: 'failed',
      issues: [{ symptom: 'unreachable' }],
    });
    const egress = sourceEgress(EgressPolicy.of(undefined, '127.0.0.0/8', []));
    await expect(look(url, { egress })).rejects.toThrow(/127\.0\.0\.0\/8 is denied/);
  });
});

// Without Debian's package `rabbitmq-server` there is no broker to look at.
if (hasRabbitmq())
  describe('a real RabbitMQ', () => {
    let rabbit: RabbitmqProgram;
    beforeAll(async () => {
      rabbit = await startRabbitmq();
      for (const [name, tags] of [
        ['monitor', 'monitoring'],
        ['outsider', 'monitoring'],
        ['other', 'management'],
      ])
        await rabbit.ask('PUT', `/users/${name}`, { password: 'hunter22', tags });
      const none = { configure: '^$', write: '^$', read: '^$' };
      await rabbit.ask('PUT', '/permissions/%2f/monitor', none);
    });
    afterAll(() => rabbit.stop());

    test('that is well has no issue, and is asked eight times', async () => {
      const { status, issues, measurements } = await look(rabbit.url);
      expect([status, issues]).toEqual(['ok', []]);
      expect(measurements).toMatchObject({ brokers: 1, queues: 0, alarms: [], requests: 8 });
      expect(measurements['version']).toMatch(/^\d+\.\d+/);
    });

    test('has a queue without a consumer', async () => {
      await rabbit.ask('PUT', '/queues/%2f/orders', { durable: true });
      const message = { properties: {}, routing_key: 'orders', payload: 'x' };
      await rabbit.ask('POST', '/exchanges/%2f/amq.default/publish', {
        ...message,
        payload_encoding: 'string',
      });
      const seen = await until('the queue has statistics', async () => {
        await rabbit.ask('POST', '/exchanges/%2f/amq.default/publish', {
          ...message,
          payload_encoding: 'string',
        });
        const result = await look(rabbit.url, { selector: '/' });
        const [first] = result.measurements['largest'] as Record<string, number>[];
        const isCounted = ['published_per_s', 'growth_per_s'].every((rate) => first?.[rate]);
        return isCounted && result.issues.length > 0 ? result : undefined;
      });
      expect(seen).toMatchObject({
        status: 'degraded',
        issues: [
          {
            severity: 'warning',
            kind: 'queue-lag',
            title: expect.stringMatching(
              /^queue orders holds \d+ messages, and has no consumer$/,
            ) as unknown,
            detail: expect.stringMatching(
              /^Nothing reads from it, and it grows by [\d.]+ messages a second\.$/,
            ) as unknown,
          },
        ],
      });
    });

    test('hides the queues of a virtual host on which the user has no permission', async () => {
      await rabbit.ask('PUT', '/queues/%2f/orders', { durable: true });
      const { hidden, issues, measurements } = await look(rabbit.url, { user: 'outsider' });
      expect(measurements).toMatchObject({ queues: 0, requests: 9 });
      expect(hidden).toContain('may look into 0 of 1 queues: it needs a permission');
      expect(issues).toMatchObject([
        { severity: 'info', title: 'may be looked into only in part' },
      ]);
      expect(await look(rabbit.url)).not.toHaveProperty('hidden');
      const vhost = look(rabbit.url, { user: 'outsider', selector: '/' });
      await expect(vhost).rejects.toMatchObject({
        failure: 'refused',
        message: expect.stringContaining('no permission on the virtual host /') as unknown,
      });
      const listed = { id: 'mq', kind: 'rabbitmq' as const, endpoint: rabbit.url };
      const auth = { user: 'outsider', password: '${env:PASSWORD}' };
      const reach = { egress: anyEgress, secretOf: () => 'hunter22' };
      const never = new AbortController().signal;
      expect(await checkSource({ ...listed, auth }, reach, never)).toMatchObject({
        state: 'ok',
        detail: hidden,
      });
    });

    test('has an alarm, which is seen at once', async () => {
      rabbit.control('set_vm_memory_high_watermark', '0.00001');
      const seen = await until('the alarm is on', async () => {
        const result = await look(rabbit.url);
        return result.status === 'failed' ? result : undefined;
      });
      expect(seen.issues[0]).toMatchObject({
        severity: 'critical',
        symptom: 'saturated',
        kind: 'out-of-memory',
        title: expect.stringMatching(/^memory alarm of .*: nothing can be published$/) as unknown,
      });
      rabbit.control('set_vm_memory_high_watermark', '0.4');
    });

    test.each([
      ['a wrong password', { password: 'wrong-one' }, 'Login failed'],
      ['a user without the tag', { user: 'other' }, 'The user lacks the tag monitoring'],
    ])('that refuses %s leaves the node unchecked, and says why', async (_, given, words) => {
      await expect(look(rabbit.url, given)).rejects.toMatchObject({
        failure: 'refused',
        message: expect.stringContaining(words) as unknown,
      });
    });

    test('has no such virtual host', async () => {
      expect((await look(rabbit.url, { selector: 'nope' })).issues).toMatchObject([
        { severity: 'critical', kind: 'config', title: 'has no such virtual host: nope' },
      ]);
    });
  });
