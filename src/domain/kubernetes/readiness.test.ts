import { expect, test } from '@jest/globals';
import { wrongReadinessPort } from './readiness.js';

const REFUSED =
  'Unhealthy: Readiness probe failed: Get "http://10.1.1.1:8081/ready": dial tcp 10.1.1.1:8081: connect: connection refused';
const podWith = (
  readinessProbe: object,
  ports: object[] = [{ containerPort: 8080, name: 'http' }],
) => ({
  ...{ kind: 'Pod', name: 'search-1', namespace: 'shop', metadata: {}, status: {}, object: {} },
  spec: { containers: [{ name: 'search', readinessProbe, ports }] },
});
const http = (port: number | string) => ({ httpGet: { path: '/ready', port } });

test.each([
  ['a number', http(8081), '8081'],
  ['a name', http('web'), 'web'],
  ['a port of TCP', { tcpSocket: { port: 8081 } }, '8081'],
  ['a port of gRPC', { grpc: { port: 8081 } }, '8081'],
])('names the port that no container lists: %s', (_, probe, port) => {
  expect(wrongReadinessPort(podWith(probe), REFUSED)).toBe(port);
});

test.each([
  ['the port is listed', podWith(http(8080)), REFUSED],
  ['the name of the port is listed', podWith(http('http')), REFUSED],
  ['no port is listed', podWith(http(8081), []), REFUSED],
  [
    'the program answers',
    podWith(http(8081)),
    'Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503',
  ],
  [
    'another probe fails',
    podWith(http(8081)),
    'Unhealthy: Liveness probe failed: connection refused',
  ],
  ['the probe runs a program', podWith({ exec: { command: ['true'] } }), REFUSED],
])('says nothing if %s', (_, pod, warning) => {
  expect(wrongReadinessPort(pod, warning)).toBeUndefined();
});
