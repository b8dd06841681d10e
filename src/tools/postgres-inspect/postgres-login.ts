import type { TopologyNode } from '../../domain/topology/topology.js';
import type { PostgresLogin, PostgresTls } from '../../sources/postgres/postgres-task.js';
import { trustOptionsOf } from '../attributes.js';
import { credentialsOf, hostPortOf, urlOf } from '../net/endpoint.js';
import type { ToolContext } from '../tool.js';

interface NodeLogin {
  login: PostgresLogin;
  /** The credential is the operator's, of SOURCES_FILE. */
  isListed: boolean;
}

/** Where to sign in: the endpoint of the node, or the server of SOURCES_FILE that it selects from. @throws where there is neither */
export async function loginOf(
  node: TopologyNode,
  { sources }: Pick<ToolContext, 'sources'>,
): Promise<NodeLogin> {
  const access = await sources?.accessOf?.(node, 'postgres');
  const bound = access ? { ...node, endpoint: access.endpoint } : node;
  const [url, target] = [urlOf(bound, 'postgres:', 'postgresql:'), hostPortOf(bound)];
  if (!url || !target)
    throw new Error(
      `postgres_inspect needs a node of kind postgres with an endpoint postgres://host:port/database; ${node.id} has none`,
    );
  const { user = 'postgres', password } = access ?? credentialsOf(url) ?? {};
  // The author of a topology must not decide which server gets a credential of the operator.
  const tls = access ? access.tls : tlsOfNode(node, url);
  const login = {
    ...target,
    database: access?.selector ?? (decodeURIComponent(url.pathname.slice(1)) || 'postgres'),
    user,
    ...(password !== undefined && { password }),
    ...(tls && { tls }),
  };
  return { login, isListed: access !== undefined };
}

function tlsOfNode(node: TopologyNode, url: URL): PostgresTls | undefined {
  const { ca, serverName, trustSelfSigned } = trustOptionsOf(node);
  if ((url.searchParams.get('sslmode') ?? 'disable') === 'disable') return undefined;
  return {
    trustSelfSigned,
    ...(ca !== undefined && { ca }),
    ...(serverName !== undefined && { serverName }),
  };
}

/**
 * Which databases of the node's server are its own, since the state of a server shows those of all. A database that is a node belongs
 * to that node, and the others to the first node of the server: a chain of locks is the finding of one node.
 */
export async function ownsDatabase(context: ToolContext): Promise<(database: string) => boolean> {
  const { node, nodes } = context;
  const found = await Promise.all(
    nodes
      .filter(({ kind }) => kind === 'postgres')
      .map(async (each) => {
        const known = await loginOf(each, context).catch(() => undefined);
        return known ? [{ id: each.id, ...known.login }] : [];
      }),
  );
  const logins = found.flat();
  const own = logins.find(({ id }) => id === node.id);
  const ofServer = logins.filter(({ host, port }) => host === own?.host && port === own.port);
  return (database) =>
    (ofServer.find((each) => each.database === database) ?? ofServer[0])?.id === node.id;
}
