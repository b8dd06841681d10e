import type { TopologyNode } from '../../../src/domain/topology/topology.js';
import { postgresInspect } from '../../../src/tools/postgres-inspect/postgres-inspect.js';
import { expectSound } from '../streams/expect-sound.js';
import { contextOf, nodeOf } from '../loopback.js';

/** What `postgres_inspect` measures of a server. Only a test that sets `timeoutMs` waits for it. */
export async function inspectPostgres(
  endpoint: string,
  attributes: TopologyNode['attributes'] = {},
) {
  const node = nodeOf('postgres', endpoint, { slowMs: 10_000, timeoutMs: 10_000, ...attributes });
  return expectSound(await postgresInspect.run({ node: 'target' }, contextOf(node)));
}
