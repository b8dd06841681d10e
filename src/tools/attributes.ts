import { X509Certificate } from 'node:crypto';
import type { Json } from '../lib/json.js';
import { ATTRIBUTE_BOUNDS, boundsText, type Bounds } from '../domain/topology/node-attributes.js';
import type { TopologyNode } from '../domain/topology/topology.js';

/** The error of a wrong attribute: names the node, the attribute and what is allowed. */
export function attributeError(node: TopologyNode, name: string, expected: string): Error {
  const value = JSON.stringify(node.attributes[name]).slice(0, 80);
  return new Error(`attribute ${name} of node ${node.id} must be ${expected}, not ${value}`);
}

/**
 * A number within the bounds, at least 0 by default.
 * @throws for any other value
 */
export function numberAttribute(
  node: TopologyNode,
  name: string,
  fallback: number,
  bounds: Bounds = [0],
): number {
  const [least, most = Number.MAX_SAFE_INTEGER] = bounds;
  const value: Json | undefined = node.attributes[name];
  if (value === undefined || value === null) return fallback;
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw attributeError(node, name, boundsText(bounds));
}

/**
 * A non-empty text, or undefined.
 * @throws for any other value
 */
export function textAttribute(node: TopologyNode, name: string): string | undefined {
  const value: Json | undefined = node.attributes[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value !== '') return value;
  throw attributeError(node, name, 'a text that is not empty');
}

/** Milliseconds that one try may take: attribute `timeoutMs`, 100 to 10,000, default 5,000. */
export const timeoutMsOf = (node: TopologyNode): number =>
  numberAttribute(node, 'timeoutMs', 5_000, ATTRIBUTE_BOUNDS.timeoutMs);

/** Milliseconds above which an answer is slow: attribute `slowMs`, default 1,000. */
export const slowMsOf = (node: TopologyNode): number => numberAttribute(node, 'slowMs', 1_000);

/** Which certificates a TLS connection accepts, and the server name that it sends. */
export interface TrustOptions {
  /** Accept an unknown issuer; dates and names are still checked. */
  trustSelfSigned: boolean;
  /** PEM text of the one certificate to trust, instead of the well-known ones. */
  ca: string | undefined;
  /** The name to ask for and to check, if it is not the endpoint's host. */
  serverName: string | undefined;
}

/**
 * Attributes `trustSelfSigned`, `ca` (PEM text, no path: a topology must not read files of the
 * service) and `serverName`.
 */
export function trustOptionsOf(node: TopologyNode): TrustOptions {
  const trustSelfSigned = node.attributes['trustSelfSigned'] ?? false;
  if (typeof trustSelfSigned !== 'boolean')
    throw attributeError(node, 'trustSelfSigned', 'true or false');
  const ca = textAttribute(node, 'ca');
  try {
    if (ca !== undefined) new X509Certificate(ca);
  } catch {
    throw attributeError(node, 'ca', 'a certificate as PEM text');
  }
  return { trustSelfSigned, ca, serverName: textAttribute(node, 'serverName') };
}
