import { workloadIn } from '../../domain/kubernetes/workload.js';
import { SourceError } from '../http/source-error.js';

/**
 * If the namespace of a workload is not read, nothing is known about the workload, not even whether
 * it exists.
 * @param namespaces that are read; undefined: unknown
 * @throws SourceError `failed` that names them
 */
export function expectNamespace(selector: string, namespaces: readonly string[] | undefined): void {
  const { namespace } = workloadIn(selector) ?? {};
  if (namespace === undefined || namespaces === undefined || namespaces.includes(namespace)) return;
  throw new SourceError(
    'failed',
    `the namespace ${namespace} is not read: its source lists ${namespaces.join(', ')}`,
  );
}
