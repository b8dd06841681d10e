import type { Fault } from '../../errors.js';
import type { Json, JsonObject } from '../../../lib/json.js';
import { isSecretName } from '../../../lib/redact-secrets.js';
import { redactUrls } from '../../../lib/redact-urls.js';
import { replaceReferences } from './secret-reference.js';
import type { Topology } from '../topology.js';

const MARK = '***';

/**
 * A text of a topology as clients see it.
 * @param name of its key
 */
export const shownText = (text: string, name: string): string =>
  isSecretName(name) && text !== '' ? MARK : redactUrls(text);

/**
 * A topology, or a part of one, as clients see it: without the credentials of URLs and the values
 * of attributes that name secrets.
 */
export function redactTopology<Value extends Json>(value: Value, name?: string): Value;
export function redactTopology(value: Json, name = ''): Json {
  if (typeof value === 'string') return shownText(value, name);
  if (Array.isArray(value)) return value.map((item) => redactTopology(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, redactTopology(item, key)]),
  );
}

/** Attributes that a client has returned redacted, and whose value is not stored. */
export const redactedAttributes = ({ nodes }: Pick<Topology, 'nodes'>): Fault[] =>
  nodes.flatMap(({ attributes }, i) =>
    marked(attributes, `nodes[${i}].attributes`).map((path) => ({
      path,
      message: 'is redacted (***); give the value itself, or leave the rest of the node as it is',
    })),
  );

function marked(value: JsonObject, path: string): string[] {
  return Object.entries(value).flatMap(([name, item]) => {
    const at = `${path}.${name}`;
    if (item === MARK && isSecretName(name)) return [at];
    return typeof item === 'object' && item !== null && !Array.isArray(item)
      ? marked(item, at)
      : [];
  });
}

/**
 * Literal credentials of a topology that could be references.
 * @param before the stored topology: its literals may stay
 */
export function inlineSecrets(
  { nodes }: Pick<Topology, 'nodes'>,
  before: Pick<Topology, 'nodes'> | undefined,
): Fault[] {
  const kept = new Set(
    before?.nodes.flatMap((node) => secretsIn(partsOf(node))).map(([text]) => text),
  );
  return nodes.flatMap((node, i) =>
    secretsIn(partsOf(node), `nodes[${i}]`)
      .filter(([text]) => !kept.has(text))
      .map(([, path]) => ({ path, message: INLINE })),
  );
}

const INLINE =
  'holds a credential, and this service has no key to encrypt it: refer to it (${secret:NAME}), or have SECRETS_KEYS_FILE set';

const partsOf = ({ endpoint = '', attributes }: Topology['nodes'][number]): JsonObject => ({
  endpoint,
  attributes,
});

/** The texts below a value that contain a credential, and their paths. */
function secretsIn(value: Json, path = '', name = ''): [text: string, path: string][] {
  if (typeof value === 'string') {
    const masked = replaceReferences(value, () => MARK);
    return shownText(masked, name) === masked ? [] : [[value, path]];
  }
  if (Array.isArray(value))
    return value.flatMap((item, i) => secretsIn(item, `${path}[${i}]`, name));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => secretsIn(item, `${path}.${key}`, key));
}
