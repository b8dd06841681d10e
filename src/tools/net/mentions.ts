import { isIP } from 'node:net';
import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { Symptom } from '../../domain/diagnosis/finding.js';
import type { Mention } from '../../domain/diagnosis/tool-result.js';
import { kindOfText } from '../../domain/failure-texts/kind-of-text.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { escapePattern } from '../../lib/text.js';
import { clean, type HostPort, hostPortOf, showHostPort } from './endpoint.js';

/** Characters of an answer that are searched, and that are shown around a match. */
const SEARCHED = 16_384;
const AROUND = 120;
const MOST = 5;
/**
 * Maximum nodes that are searched by a pattern; nodes whose text does not occur are excluded
 * before.
 */
const MOST_CANDIDATES = 60;

/** How what a failing answer names fails, by the kind that its words state; else it errs. */
const SYMPTOM_BY_KIND: Partial<Record<FailureKind, Symptom>> = {
  unreachable: 'unreachable',
  dns: 'nameless',
  'connection-pool-exhausted': 'saturated',
  'out-of-memory': 'saturated',
  memory: 'saturated',
  'disk-full': 'saturated',
  capacity: 'saturated',
  timeout: 'slow',
  auth: 'invalid',
  'certificate-expired': 'invalid',
};

/**
 * The other nodes that a failing answer names, by `host:port` in the forms of drivers
 * (`127.0.0.1:5432`, `"127.0.0.1", port 5432`, `host=db port=5432`), or by a host name that only
 * one of them has.
 */
export function mentionsOf(
  text: string,
  node: TopologyNode,
  nodes: readonly TopologyNode[],
): Mention[] {
  // Quotation marks within JSON are escaped.
  const searched = text.slice(0, SEARCHED).replaceAll('\\"', '"');
  const lower = searched.toLowerCase();
  const own = hostPortOf(node);
  const others = nodes.flatMap((other) => {
    const target = other.id === node.id ? undefined : hostPortOf(other);
    return target && !isSame(target, own) ? [{ id: other.id, target }] : [];
  });
  const isNear = (id: string) => (node.dependsOn.includes(id) ? 0 : 1);
  const candidates = others
    .filter(({ target }) => lower.includes(target.host.toLowerCase()))
    .toSorted((a, b) => isNear(a.id) - isNear(b.id))
    .slice(0, MOST_CANDIDATES);
  const found: Mention[] = [];
  for (const { id, target } of candidates) {
    if (found.length === MOST) break;
    const isOnly = candidates.filter((each) => each.target.host === target.host).length === 1;
    const at = findTarget(searched, target, isOnly && own?.host !== target.host);
    if (at === undefined) continue;
    const around = searched.slice(Math.max(0, at - AROUND), at + 2 * AROUND);
    const kind = kindOfText(around)?.kind;
    found.push({
      node: id,
      endpoint: showHostPort(target),
      failure: clean(around, node, 2 * AROUND),
      symptom: (kind && SYMPTOM_BY_KIND[kind]) ?? 'erroring',
    });
  }
  return found;
}

const isSame = (one: HostPort, other: HostPort | undefined) =>
  one.host === other?.host && one.port === other.port;

/**
 * The position at which a text names a target.
 * @param byName whether the host name alone identifies the node
 */
function findTarget(text: string, { host, port }: HostPort, byName: boolean): number | undefined {
  const name = escapePattern(host);
  const forms = [
    `(?<![\\w.-])\\[?${name}\\]?:${port}(?!\\d)`,
    `(?<![\\w.-])["'(\\[]?${name}["')\\]]{0,2},? ?\\(?(?:port|tcp)[ =:/]{0,2}${port}(?!\\d)`,
    `host[ =:]{1,2}["']?${name}["']?,? port[ =:]{1,2}${port}(?!\\d)`,
    ...(byName && isIP(host) === 0 && host !== 'localhost'
      ? [`(?<![\\w.-])${name}(?![\\w-]|\\.\\w)`]
      : []),
  ];
  const index = text.search(new RegExp(forms.join('|'), 'i'));
  return index === -1 ? undefined : index;
}
