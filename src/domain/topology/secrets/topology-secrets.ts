import type { Json } from '../../../lib/json.js';
import { isSecretName } from '../../../lib/redact-secrets.js';
import type { Topology } from '../topology.js';

const URL_PARTS = /^[a-z][a-z0-9+.-]{0,30}:\/\/(?:([^\s/?#]*)@)?[^\s?#]*(?:\?([^\s#]*))?/i;

/**
 * The secrets in a topology: user names and passwords of its URLs, query parameters, and attributes
 * with names of secrets. A value that is also the id or the name of a node is omitted, because it
 * is no secret.
 */
export function secretsOfTopology({ nodes }: Pick<Topology, 'nodes'>): string[] {
  const open = new Set(nodes.flatMap(({ id, name, kind }) => [id, name, kind]));
  const found = nodes.flatMap(({ endpoint, attributes }) => [
    ...(endpoint === undefined ? [] : inUrl(endpoint)),
    ...Object.entries(attributes).flatMap(([name, value]) => inAttribute(name, value)),
  ]);
  return [...new Set(found)].filter((value) => value !== '' && !open.has(value));
}

function inAttribute(name: string, value: Json): string[] {
  if (typeof value === 'string') return isSecretName(name) ? [value] : inUrl(value);
  if (Array.isArray(value)) return value.flatMap((item) => inAttribute(name, item));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => inAttribute(key, item));
}

function inUrl(text: string): string[] {
  const [, userinfo = '', query = ''] = URL_PARTS.exec(text) ?? [];
  const at = userinfo.indexOf(':');
  const password = at < 0 ? '' : userinfo.slice(at + 1);
  // Without a password the user name of HTTP is a token.
  const alone = at < 0 && /^https?:/i.test(text) ? userinfo : '';
  const named = query.split('&').flatMap((pair) => {
    const [name = '', value = ''] = pair.split('=');
    return isSecretName(name) ? [value] : [];
  });
  return [password, alone, ...named].flatMap((value) => [value, decoded(value)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
