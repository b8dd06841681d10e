import { describe, expect, test } from '@jest/globals';
import {
  KUBERNETES_NOW,
  objectOf,
  titlesOf,
} from '../../../test/support/sources/kubernetes-objects.js';
import type { KubernetesObject } from '../telemetry/records.js';
import { analyzeKubernetes } from './analyze.js';

test('an autoscaler that cannot scale for two reasons, once', () => {
  const condition = (type: string, reason: string) => ({ type, status: 'False', reason });
  const conditions = [condition('AbleToScale', 'One'), condition('ScalingActive', 'Two')];
  const found = analyzeKubernetes(
    [objectOf('HorizontalPodAutoscaler', { status: { conditions } })],
    KUBERNETES_NOW,
  );
  expect(found).toMatchObject([{ title: 'cannot scale', detail: 'One; Two' }]);
});

test('a port name that no container has, and a backend port that the service has not', () => {
  const labels = { app: 'x' };
  const pod = objectOf('Pod', {
    metadata: { name: 'x', namespace: 'shop', labels },
    spec: { containers: [{ ports: [{ name: 'web' }] }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const service = objectOf('Service', {
    spec: { selector: labels, ports: [{ port: 80, targetPort: 'http' }] },
  });
  const backend = { service: { name: 'x', port: { number: 81 } } };
  const ingress = objectOf('Ingress', { spec: { defaultBackend: backend } });
  expect(titlesOf(pod, service, ingress)).toEqual([
    'critical: no container has a port named http',
    'critical: its backend service x has no such port',
  ]);
});

describe('a stateful set whose rollout does not go on', () => {
  const podOf = (createdAt: string) =>
    objectOf(
      'Pod',
      {
        metadata: {
          name: 'x-0',
          namespace: 'shop',
          creationTimestamp: createdAt,
          ownerReferences: [{ kind: 'StatefulSet', name: 'x' }],
        },
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      },
      'x-0',
    );
  const setOf = (updateStrategy: object = { type: 'RollingUpdate' }) =>
    objectOf('StatefulSet', {
      spec: { replicas: 1, updateStrategy },
      status: { replicas: 1, currentRevision: 'x-1', updateRevision: 'x-2' },
    });

  test.each([
    ['for long', setOf(), ['warning: its rollout has not gone on for 24 min']],
    ['on purpose', setOf({ type: 'RollingUpdate', rollingUpdate: { partition: 1 } }), []],
    ['until pods are deleted', setOf({ type: 'OnDelete' }), []],
  ])('%s', (_, set, expected) => {
    expect(titlesOf(set, podOf('2026-11-22T12:40:00Z'))).toEqual(expected);
  });

  test('for some minutes', () => {
    expect(titlesOf(setOf(), podOf('2026-11-22T12:50:00Z'))).toEqual([]);
  });
});

describe('a webhook', () => {
  const webhookOf = (name: string, failurePolicy: string) =>
    objectOf('MutatingWebhookConfiguration', {
      webhooks: [
        { name: 'w', failurePolicy, clientConfig: { service: { namespace: 'shop', name } } },
      ],
    });
  const labels = { app: 'x' };
  const service = objectOf('Service', { spec: { selector: labels } });
  const podOf = (ready: string) =>
    objectOf('Pod', {
      metadata: { name: 'x', namespace: 'shop', labels },
      status: { phase: 'Pending', conditions: [{ type: 'Ready', status: ready }] },
    });
  const webhookTitles = (...objects: KubernetesObject[]) =>
    analyzeKubernetes(objects, KUBERNETES_NOW).flatMap(({ kind, severity, title }) =>
      kind === 'MutatingWebhookConfiguration' ? [`${severity}: ${title}`] : [],
    );

  test.each([
    [
      'without a service',
      'y',
      'True',
      ['critical: webhook w calls the service y, which does not exist'],
    ],
    [
      'without a ready pod',
      'x',
      'False',
      ['critical: webhook w calls the service x, of whose pods none is ready'],
    ],
    ['with a ready pod', 'x', 'True', []],
  ])('%s', (_, name, ready, expected) => {
    expect(webhookTitles(webhookOf(name, 'Fail'), service, podOf(ready))).toEqual(expected);
  });

  test('without pods, and what it refuses is let through', () => {
    const other = objectOf('Pod', { status: { phase: 'Succeeded' } }, 'other');
    expect(webhookTitles(webhookOf('x', 'Ignore'), service, other)).toEqual([
      'warning: webhook w calls the service x, which has no pods',
    ]);
  });
});

test('a cron job of which Kubernetes warns', () => {
  const event = objectOf('Event', {
    type: 'Warning',
    reason: 'FailedNeedsStart',
    message: 'too many missed start times',
    involvedObject: { kind: 'CronJob', namespace: 'shop', name: 'x' },
    lastTimestamp: '2026-11-22T13:00:00Z',
  });
  expect(titlesOf(event, objectOf('CronJob', { spec: { schedule: '@hourly' } }))).toEqual([
    'warning: is not started as it should be',
  ]);
});

test('an ingress without its TLS secret, and a stateful set without its storage class', () => {
  const secret = objectOf('Secret', {}, 'other');
  const ingress = objectOf('Ingress', { spec: { tls: [{ secretName: 'tls' }] } });
  const storage = objectOf('StorageClass', {}, 'fast');
  const set = objectOf('StatefulSet', {
    spec: { volumeClaimTemplates: [{ spec: { storageClassName: 'slow' } }] },
  });
  expect(titlesOf(secret, ingress, storage, set)).toEqual([
    'critical: its storage class slow does not exist',
    'critical: its TLS secret tls does not exist',
  ]);
});

test('the newest event counts, whatever time it has', () => {
  const event = (message: string, times: object): KubernetesObject =>
    objectOf('Event', {
      type: 'Warning',
      reason: 'FailedMount',
      message,
      involvedObject: { kind: 'Pod', namespace: 'shop', name: 'x' },
      ...times,
    });
  const pod = objectOf('Pod', {
    status: {
      phase: 'Pending',
      containerStatuses: [{ name: 'c', state: { waiting: { reason: 'ContainerCreating' } } }],
    },
  });
  const [found] = analyzeKubernetes(
    [
      event('newest', {
        eventTime: '2026-11-22T12:00:00Z',
        series: { lastObservedTime: '2026-11-22T13:03:00Z' },
      }),
      event('older', { lastTimestamp: '2026-11-22T13:00:00Z' }),
      pod,
    ],
    KUBERNETES_NOW,
  );
  expect(found?.detail).toBe('FailedMount: newest');
});

test('a network policy whose labels no pod has', () => {
  const pod = objectOf('Pod', {
    metadata: { name: 'x', namespace: 'shop', labels: { app: 'x' } },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });
  const policyFor = (podSelector: object) => objectOf('NetworkPolicy', { spec: { podSelector } });
  expect(titlesOf(pod, policyFor({ matchLabels: { app: 'y' } }))).toEqual([
    'info: selects labels that no pod has (app=y)',
  ]);
  for (const selector of [{}, { matchLabels: { app: 'x' } }])
    expect(titlesOf(pod, policyFor(selector))).toEqual([]);
  const expression = { key: 'app', operator: 'In', values: ['x'] };
  const both = { matchLabels: { tier: 'y' }, matchExpressions: [expression] };
  expect(titlesOf(pod, policyFor(both))).toEqual([]);
});

test('several default storage classes', () => {
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  const classOf = (name: string, more: object = { annotations }) =>
    objectOf('StorageClass', { metadata: { name, ...more } }, name);
  expect(titlesOf(classOf('fast'), classOf('slow', {}))).toEqual([]);
  expect(titlesOf(classOf('fast'), classOf('slow'))).toEqual([
    'warning: is one of 2 default storage classes',
  ]);
});

describe('the Gateway API', () => {
  const service = objectOf('Service', { spec: { ports: [{ port: 80 }] } });
  const gateway = objectOf('Gateway', { spec: { gatewayClassName: 'envoy' } });
  const routeTo = (port: number, name = 'x', parent: object = { name: 'x' }) =>
    objectOf('HTTPRoute', {
      spec: { parentRefs: [parent], rules: [{ backendRefs: [{ name, port }] }] },
    });

  test('a gateway whose class does not exist', () => {
    const other = objectOf('GatewayClass', {}, 'istio');
    expect(titlesOf(gateway, other)).toEqual(['critical: its gateway class envoy does not exist']);
  });

  test('a route without its gateway, its service or its port', () => {
    const titles = (route: KubernetesObject) => titlesOf(service, gateway, route);
    expect(titles(routeTo(80))).toEqual([]);
    expect(titles(routeTo(81))).toEqual(['critical: its backend service x has no such port']);
    expect(titles(routeTo(80, 'y'))).toEqual(['critical: its backend service y does not exist']);
    expect(titles(routeTo(80, 'x', { name: 'y' }))).toEqual([
      'critical: its gateway y does not exist',
    ]);
    expect(titles(routeTo(80, 'x', { name: 'y', namespace: 'edge' }))).toEqual([]);
  });
});
