import { expect, test } from '@jest/globals';
import { observed, steppedSeries } from '../../../test/support/incidents/observations.js';
import { rankRootCauses } from '../rank-root-causes.js';
import { linesOfNodes } from './lines-of-nodes.js';

const answer = (command: string, output: unknown) => ({
  tool: 'bash',
  args: { command },
  status: 'success',
  output: typeof output === 'string' ? output : JSON.stringify(output),
});
const service = {
  kind: 'Service',
  metadata: { name: 'cart', namespace: 'shop' },
  spec: { selector: { app: 'carts' } },
};
const pods = (state: object) => ({
  kind: 'List',
  items: [
    {
      kind: 'Pod',
      metadata: { name: 'cart-6c9f7d-x2x2x', namespace: 'shop', labels: { app: 'cart' } },
      status: {
        phase: 'Running',
        containerStatuses: [{ name: 'cart', restartCount: 7, ...state }],
      },
    },
  ],
});
const ENDED = {
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
};
const running = pods({ ready: true, restartCount: 0, state: { running: {} } });

test('compares the objects of several answers in JSON', () => {
  const recordings = [
    answer('kubectl get svc cart -n shop -o json', service),
    answer('kubectl get pods,events -n shop -o json', running),
  ];
  const lines = linesOfNodes(observed({ recordings }), '');
  expect(lines.get('cart')?.[0]).toMatchObject({
    kind: 'config',
    text: 'Service shop/cart its selector (app=carts) matches no pod. Pods have app=cart.',
  });
  expect(lines.get('shop')).toEqual([]);
});

test('gives a line of an answer about no node to the node that it names', () => {
  const recordings = [answer('journalctl -p err', 'Out of memory: Killed process 4711 (db)')];
  expect(linesOfNodes(observed({ recordings }), '').get('db')?.[0]?.kind).toBe('out-of-memory');
});

test('what recorded answers say decisively counts beside metrics', () => {
  const rank = (state: object) =>
    rankRootCauses(
      observed({
        series: [steppedSeries('shop', 'http_errors_ratio', 0.001, 0.3)],
        recordings: [answer('kubectl get pods -n shop -o json', pods(state))],
      }),
      '',
    ).causes[0];
  expect(rank(ENDED)).toMatchObject({ node: 'cart', kind: 'out-of-memory' });
  expect(rank({ ready: true, restartCount: 0, state: { running: {} } })).toMatchObject({
    node: 'shop',
  });
});

test('a lock is held by the client whose session holds it', () => {
  const sessions = `  pid |  usename | application_name | state               | wait_event_type | query
------+----------+------------------+---------------------+-----------------+------
  417 | app      | cart/2.8         | idle in transaction | Client          | UPDATE stock SET n = 1
  502 | app      | shop/1.0         | active              | Lock            | UPDATE stock SET n = $1
`;
  const recordings = [answer('psql -h db -c "select * from pg_stat_activity"', sessions)];
  const lines = linesOfNodes(observed({ recordings }), '');
  expect(lines.get('cart')?.[0]).toMatchObject({ kind: 'lock' });
  expect(lines.get('db')).toEqual([]);
});

test('a signal that ended a unit of systemd indicates a crash', () => {
  const recordings = [
    answer('ssh cart systemctl status cart', "cart.service: Failed with result 'core-dump'."),
  ];
  expect(linesOfNodes(observed({ recordings }), '').get('cart')?.[0]?.kind).toBe('crash');
});

test('a node that does not reach what it calls comes after what failed there', () => {
  const refused = 'connect() failed (111: Connection refused) while connecting to upstream';
  const crashed = "cart.service: Failed with result 'core-dump'.";
  const rank = (...recordings: ReturnType<typeof answer>[]) =>
    rankRootCauses(observed({ recordings }), '').causes[0]?.node;
  const log = answer('ssh shop tail error.log', `${refused}\n`.repeat(20));
  expect(rank(log)).toBe('shop');
  expect(rank(log, answer('ssh cart systemctl status', crashed))).toBe('cart');
});
