import { nodeFinder, telemetryNames } from '../find-node.js';
import type { Observations } from '../observations.js';

/**
 * The error text of Go programs, such as the API server and the kubelet, for a failed call: `Post
 * "https://guard.shop.svc:443/validate": EOF`. https://pkg.go.dev/net/url#Error
 */
const FAILED_CALL =
  /\b(?:Get|Head|Post|Put|Patch|Delete) "https?:\/\/([^/"\s]{1,300})[^"]{0,300}": /;

/**
 * The node whose call a line quotes as failed: by a service among its objects, otherwise by its
 * name.
 */
export function calledNode(
  line: string,
  { nodes, kubernetesByNode }: Pick<Observations, 'nodes' | 'kubernetesByNode'>,
): string | undefined {
  const host = FAILED_CALL.exec(line)?.[1];
  if (host === undefined) return undefined;
  const [name = '', namespace] = host.replace(/:\d+$/, '').split('.');
  const isOf = (id: string) =>
    kubernetesByNode
      .get(id)
      ?.some(
        (each) =>
          each.kind === 'Service' &&
          each.name === name &&
          (namespace === undefined || each.namespace === namespace),
      );
  const named = nodes.map((node) => ({ id: node.id, names: [node.name, ...telemetryNames(node)] }));
  return nodes.find(({ id }) => isOf(id))?.id ?? nodeFinder(named).find({ host });
}
