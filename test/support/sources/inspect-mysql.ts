import type { TopologyNode } from '../../../src/domain/topology/topology.js';
import type { SourceSet } from '../../../src/sources/source-set.js';
import { mysqlInspect } from '../../../src/tools/mysql-inspect/mysql-inspect.js';
import { expectSound } from '../streams/expect-sound.js';
import { contextOf, nodeOf } from '../loopback.js';

/** Inspects a server, with time for a slow machine. */
export async function inspect(endpoint: string, attributes: TopologyNode['attributes'] = {}) {
  const node = nodeOf('mysql', endpoint, { slowMs: 10_000, timeoutMs: 10_000, ...attributes });
  return expectSound(await mysqlInspect.run({ node: 'target' }, contextOf(node)));
}

/** Looks as at a server that SOURCES_FILE lists. */
export const inspectListed = (port: number, user: string) => {
  const node = { ...nodeOf('mysql', undefined, { timeoutMs: 10_000 }), in: { db: '*' } };
  const access = { endpoint: `mysql://127.0.0.1:${port}/shop`, user, password: 'hunter2' };
  const sources = { accessOf: () => Promise.resolve(access) } as unknown as SourceSet;
  return mysqlInspect.run({ node: 'target' }, { ...contextOf(node), sources });
};
