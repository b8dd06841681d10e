import { createHmac, randomBytes } from 'node:crypto';
import type { KubernetesObject } from '../../domain/telemetry/records.js';
import { fieldsOf, listOf, type Fields } from '../../domain/kubernetes/fields.js';

type JsonFields = Record<string, unknown>;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * An object without the parts that no rule reads and that may contain secrets: the values of config
 * maps and of variables of containers, the copy of the whole object that `kubectl apply` leaves,
 * and the owners of fields.
 */
export function bareObject({ kind, object, ...whose }: KubernetesObject): KubernetesObject {
  const { managedFields: _, annotations, ...metadata } = fieldsOf(object['metadata']);
  const { [LAST_APPLIED]: __, ...notes } = fieldsOf(annotations);
  const bare: JsonFields = {
    ...object,
    metadata: { ...metadata, ...(annotations !== undefined && { annotations: notes }) },
  };
  if (kind === 'ConfigMap')
    for (const part of ['data', 'binaryData'])
      if (object[part] !== undefined) bare[part] = withoutValues(fieldsOf(object[part]));
  const spec = fieldsOf(object['spec']);
  if (spec['template'] !== undefined) {
    const template = fieldsOf(spec['template']);
    bare['spec'] = {
      ...spec,
      template: { ...template, spec: barePod(fieldsOf(template['spec'])) },
    };
  } else if (kind === 'Pod') bare['spec'] = barePod(spec);
  return { kind, ...whose, object: bare };
}

const withoutValues = (fields: Fields): JsonFields =>
  Object.fromEntries(Object.keys(fields).map((key) => [key, '']));

function barePod(spec: Fields): JsonFields {
  const bare: JsonFields = { ...spec };
  for (const part of ['containers', 'initContainers'])
    if (spec[part] !== undefined) bare[part] = listOf(spec[part]).map(bareContainer);
  return bare;
}

function bareContainer(container: Fields): JsonFields {
  if (container['env'] === undefined) return { ...container };
  const env = listOf(container['env']).map(({ value, ...variable }) =>
    value === undefined ? variable : { ...variable, value: fingerprint(JSON.stringify(value)) },
  );
  return { ...container, env };
}

const SALT = randomBytes(32);

/**
 * Shows that a value changed, and nothing else about it: another process gets other fingerprints.
 */
const fingerprint = (text: string): string =>
  `#${createHmac('sha256', SALT).update(text).digest('hex').slice(0, 12)}`;
