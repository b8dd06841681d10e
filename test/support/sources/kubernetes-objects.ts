import type { KubernetesObject } from '../../../src/domain/telemetry/records.js';
import { analyzeKubernetes } from '../../../src/domain/kubernetes/analyze.js';

/**
 * When the lists of test/fixtures/kubernetes were read: some minutes after the namespace was
 * broken.
 */
export const KUBERNETES_NOW = Date.parse('2026-11-22T13:04:00Z');

export const objectOf = (kind: string, fields: object, name = 'x'): KubernetesObject => ({
  kind,
  name,
  namespace: 'shop',
  object: { metadata: { name, namespace: 'shop' }, ...fields },
});

/** `warning: is used up: pods 10` for each thing that is wrong. */
export const titlesOf = (...objects: KubernetesObject[]): string[] =>
  analyzeKubernetes(objects, KUBERNETES_NOW).map(({ severity, title }) => `${severity}: ${title}`);
