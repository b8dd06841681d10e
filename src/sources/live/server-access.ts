import { readSecret } from '../../config/secrets.js';
import type { TopologyNode, TopologySource } from '../../domain/topology/topology.js';
import type { SqlKind, SqlTls } from '../sql/sql-task.js';
import type { ListedSql, ListedServer } from './sources-file.js';
import type { SourceReach } from './source-reach.js';

/** How to reach the server that a node selects from. Read for each use, and never kept. */
export interface ServerAccess {
  endpoint: string;
  /** What of the server is the node's; absent for `*`. */
  selector?: string;
  user?: string;
  password?: string;
  /** Absent: without TLS. */
  tls?: SqlTls;
}

/** Finds the listed server of a kind that a node selects from; undefined where it selects from none. */
export function accessTo(
  sources: readonly TopologySource[],
  listed: readonly ListedServer[],
  { secretOf }: SourceReach,
) {
  return async (node: TopologyNode, kind: SqlKind): Promise<ServerAccess | undefined> => {
    const source = sources.find((each) => each.kind === kind && node.in?.[each.id] !== undefined);
    if (source === undefined) return undefined;
    const server = listed.find(({ id }) => id === source.id);
    if (server?.kind !== kind) throw new Error(`SOURCES_FILE lists no ${kind} source ${source.id}`);
    const selector = node.in?.[source.id];
    const { endpoint, auth } = server;
    const tls = await tlsOf(server, secretOf);
    return {
      endpoint,
      ...(selector !== undefined && selector !== '*' && { selector }),
      ...(auth && { user: auth.user, password: await readSecret(auth.password, secretOf) }),
      ...(tls && { tls }),
    };
  };
}

/** How a listed database is trusted; undefined: without TLS. @throws where a credential is missing */
export async function tlsOf(
  { tls, ca, trustSelfSigned, serverName }: ListedSql,
  secretOf: SourceReach['secretOf'],
): Promise<SqlTls | undefined> {
  if (tls !== true) return undefined;
  return {
    ...(ca !== undefined && { ca: await readSecret(ca, secretOf) }),
    ...(trustSelfSigned !== undefined && { trustSelfSigned }),
    ...(serverName !== undefined && { serverName }),
  };
}
