import { workloadIn } from '../../domain/kubernetes/workload.js';
import { SourceError } from '../http/source-error.js';

/**
 * Of a workload in a namespace that is not read, nothing is known: not even whether it exists.
 * @param namespaces those that are read; undefined: not known
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
