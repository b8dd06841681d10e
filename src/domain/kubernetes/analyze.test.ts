import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { KUBERNETES_NOW as NOW } from '../../../test/support/sources/kubernetes-objects.js';
import type { KubernetesObject } from '../telemetry/records.js';
import { analyzeKubernetes } from './analyze.js';

const FOLDER = join(import.meta.dirname, '../../../test/fixtures/kubernetes');

type Item = Record<string, unknown> & { metadata: { name: string; namespace?: string } };

/** Answers of a real API server for a namespace that is broken in 28 ways. */
function recorded(): { objects: KubernetesObject[]; kinds: Set<string> } {
  const kinds = new Set<string>();
  const objects = readdirSync(FOLDER).flatMap((file): KubernetesObject[] => {
    const list = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as {
      kind: string;
      items: Item[];
    };
    const kind = list.kind.replace(/List$/, '');
    kinds.add(kind);
    return list.items.map((object) => {
      const { name, namespace } = object.metadata;
      return { kind, name, object, ...(namespace !== undefined && { namespace }) };
    });
  });
  return { objects, kinds };
}

test('finds the 28 things that are wrong in the recorded namespace', () => {
  const { objects, kinds } = recorded();
  const found = analyzeKubernetes(objects, NOW, kinds).map(
    ({ kind, name, severity, symptom, title }) =>
      `${kind} ${name}: ${severity} ${symptom}: ${title}`,
  );
  expect(found).toEqual([
    'Pod big-b5d5cccfc-sxfr7: critical saturated: cannot be scheduled',
    'Pod crash: critical saturated: container c is in CrashLoopBackOff: OOMKilled (exit code 137), 7 restarts',
    'Pod db-0: critical invalid: cannot be scheduled',
    'Pod migrate-6sn4q: critical erroring: container c ended: Error (exit code 2)',
    'Pod orders-764f95c564-l9m5w: critical invalid: container orders is in CreateContainerConfigError: its secret orders-db does not exist',
    'Pod pull: critical invalid: container c is in ImagePullBackOff',
    'Pod unready: critical erroring: runs, but is not ready',
    'Deployment big: critical erroring: has 0 of 1 replicas ready',
    'Deployment mount: critical erroring: has 0 of 1 replicas ready',
    'Deployment orders: critical erroring: has 0 of 1 replicas ready',
    'StatefulSet db: critical erroring: its pod db-0 is Pending',
    'Job migrate: critical erroring: has failed',
    'Service cache: critical unreachable: its selector (app=kache) matches no pod',
    'Service orders: critical unreachable: selects one pod, and none is ready',
    'Service unready: critical unreachable: selects one pod, and none is ready',
    'Ingress web: critical invalid: its ingress class nginx does not exist',
    'Ingress web: critical invalid: its backend service frontend does not exist',
    'Node node-dead: critical unreachable: is not ready',
    'Node node-x: critical saturated: DiskPressure is True',
    'PersistentVolumeClaim data: critical invalid: has no volume: its storage class nope does not exist',
    'Pod evicted: warning saturated: was evicted',
    'Pod mount-67b959bc8-lgzmv: warning invalid: container m has been waiting to be created for 5 min',
    'StatefulSet db: warning invalid: its service db-missing does not exist',
    'ValidatingWebhookConfiguration policy: warning invalid: webhook policy.example.com calls the service policy, which does not exist',
    'HorizontalPodAutoscaler api: warning invalid: cannot scale',
    'CronJob nightly: info advisory: is suspended',
    'ConfigMap unused-empty: info advisory: is empty',
    'PodDisruptionBudget api: info advisory: allows no disruption: machines cannot be drained',
  ]);
});

test('says what Kubernetes says', () => {
  const { objects, kinds } = recorded();
  const found = analyzeKubernetes(objects, NOW, kinds);
  const detailOf = (kind: string, name: string) =>
    found.find((each) => each.kind === kind && each.name === name)?.detail;
  expect(detailOf('Pod', 'unready')).toContain('connect: connection refused');
  expect(detailOf('Pod', 'orders-764f95c564-l9m5w')).toBe('secret "orders-db" not found');
  expect(detailOf('Deployment', 'orders')).toContain('ProgressDeadlineExceeded');
  expect(detailOf('PersistentVolumeClaim', 'data')).toContain('storageclass.storage.k8s.io "nope"');
  expect(detailOf('Service', 'cache')).toContain('app=cache');
});

test('finds nothing in a namespace that is well', () => {
  const { objects, kinds } = recorded();
  const healthy = objects.filter(
    ({ kind, name }) =>
      ['Deployment api', 'Service api', 'Node node-1', 'Node node-2', 'ConfigMap api-env'].includes(
        `${kind} ${name}`,
      ) ||
      (kind === 'Pod' && /^(api|cache)-/.test(name)) ||
      (kind === 'ReplicaSet' && /^(api|cache)-/.test(name)),
  );
  expect(analyzeKubernetes(healthy, NOW, kinds)).toEqual([]);
});

test('takes nothing for missing that was not read', () => {
  const { objects } = recorded();
  const some = objects.filter(({ kind }) => kind === 'Ingress' || kind === 'StatefulSet');
  expect(analyzeKubernetes(some, NOW)).toEqual([]);
});

test('survives objects of any shape', () => {
  const kinds = [
    'Pod',
    'Deployment',
    'Service',
    'Ingress',
    'Node',
    'Event',
    'Job',
    'CronJob',
    'ConfigMap',
    'HorizontalPodAutoscaler',
    'ValidatingWebhookConfiguration',
  ];
  for (const kind of kinds)
    for (const value of [null, 7, 'x', [], [null], { status: [1], conditions: 'no', selector: 3 }])
      expect(() =>
        analyzeKubernetes(
          [
            {
              kind,
              name: 'x',
              object: { metadata: value, spec: value, status: value, webhooks: value, data: value },
            },
          ],
          NOW,
        ),
      ).not.toThrow();
});
