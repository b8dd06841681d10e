import { expect, test } from '@jest/globals';
import { objectOf, titlesOf } from '../../../test/support/sources/kubernetes-objects.js';
import { wrongProbePort } from './probes.js';

const REFUSED =
  'Unhealthy: Readiness probe failed: Get "http://10.1.1.1:8081/ready": dial tcp 10.1.1.1:8081: connect: connection refused';
const podWith = (probes: object, ports: object[] = [{ containerPort: 8080, name: 'http' }]) => ({
  kind: 'Pod',
  name: 'search-1',
  namespace: 'shop',
  metadata: {},
  status: {},
  object: {},
  spec: { containers: [{ name: 'search', ...probes, ports }] },
});
const http = (port: number | string) => ({ httpGet: { path: '/ready', port } });

test.each([
  ['a number', http(8081), '8081'],
  ['a name', http('web'), 'web'],
  ['a port of TCP', { tcpSocket: { port: 8081 } }, '8081'],
  ['a port of gRPC', { grpc: { port: 8081 } }, '8081'],
])('names the port that no container lists: %s', (_, probe, port) => {
  const expected = { probe: 'readiness', port, listed: ['8080'] };
  expect(wrongProbePort(podWith({ readinessProbe: probe }), REFUSED)).toEqual(expected);
});

test.each(['Liveness', 'Startup'])('names the port of another probe: %s', (name) => {
  const probe = name.toLowerCase();
  const pod = podWith({ [`${probe}Probe`]: http(8600), readinessProbe: http(8080) });
  const warning = REFUSED.replace('Readiness', name);
  expect(wrongProbePort(pod, warning)).toEqual({ probe, port: '8600', listed: ['8080'] });
});

test.each([
  ['the port is listed', podWith({ readinessProbe: http(8080) }), REFUSED],
  ['the name of the port is listed', podWith({ readinessProbe: http('http') }), REFUSED],
  ['no port is listed', podWith({ readinessProbe: http(8081) }, []), REFUSED],
  [
    'the program answers',
    podWith({ readinessProbe: http(8081) }),
    'Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503',
  ],
  [
    'another probe fails',
    podWith({ readinessProbe: http(8081) }),
    'Unhealthy: Liveness probe failed: connection refused',
  ],
  [
    'the probe runs a program',
    podWith({ readinessProbe: { exec: { command: ['true'] } } }),
    REFUSED,
  ],
])('says nothing if %s', (_, pod, warning) => {
  expect(wrongProbePort(pod, warning)).toBeUndefined();
});

test('names the probe that restarts a container, and the ports that it has', () => {
  const involvedObject = { kind: 'Pod', namespace: 'shop', name: 'x' };
  const warning = (reason: string, message: string, lastTimestamp: string) =>
    objectOf('Event', { type: 'Warning', reason, message, lastTimestamp, involvedObject }, reason);
  const refused = 'Liveness probe failed: dial tcp 10.0.0.9:8600: connect: connection refused';
  const pod = objectOf('Pod', {
    spec: {
      containers: [
        {
          name: 'c',
          ports: [{ containerPort: 8080 }, { containerPort: 9600 }],
          livenessProbe: { httpGet: { port: 8600 } },
        },
      ],
    },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'c', state: { waiting: { reason: 'CrashLoopBackOff' } } }],
    },
  });
  expect(
    titlesOf(
      pod,
      warning('Unhealthy', refused, '2026-11-22T13:00:00Z'),
      warning('BackOff', 'Back-off restarting', '2026-11-22T13:01:00Z'),
    ),
  ).toEqual([
    'critical: container c is in CrashLoopBackOff, but its liveness probe asks port 8600, which is not one of its ports (8080, 9600)',
  ]);
});
