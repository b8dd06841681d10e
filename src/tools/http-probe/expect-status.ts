import type { Json } from '../../lib/json.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { attributeError } from '../attributes.js';

/** The expected HTTP statuses of a node. */
export interface StatusExpectation {
  /** As a person writes it: `200-399`. */
  text: string;
  accepts(status: number): boolean;
  /** Whether a 2xx status is expected; if none is, a redirect is the answer and is not followed. */
  acceptsSuccess: boolean;
}

/**
 * Attribute `expectStatus`: `200`, `"200-399"`, `"200, 204"` or a list of those; default 200–399.
 * @throws for any other value
 */
export function expectStatusOf(node: TopologyNode): StatusExpectation {
  const value: Json = node.attributes['expectStatus'] ?? '200-399';
  const list: Json[] = Array.isArray(value) ? value : [value];
  const parts = list.flatMap((part): Json[] =>
    typeof part === 'string' ? part.split(',') : [part],
  );
  const ranges = parts.map((part) => {
    const match = /^(\d{3})(?:\s*[-–]\s*(\d{3}))?$/.exec(
      typeof part === 'string' || typeof part === 'number' ? String(part).trim() : '',
    );
    if (!match)
      throw attributeError(
        node,
        'expectStatus',
        'a status such as 200, a range such as "200-399", or a list of those',
      );
    return [Number(match[1]), Number(match[2] ?? match[1])] as const;
  });
  const accepts = (status: number) =>
    ranges.some(([least, most]) => status >= least && status <= most);
  return {
    text: ranges
      .map(([least, most]) => (least === most ? `${least}` : `${least}-${most}`))
      .join(', '),
    accepts,
    acceptsSuccess: ranges.some(([least, most]) => least < 300 && most >= 200),
  };
}
