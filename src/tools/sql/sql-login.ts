import type { TopologyNode } from '../../domain/topology/topology.js';
import {
  SQL_DEFAULTS,
  type SqlKind,
  type SqlLogin,
  type SqlTls,
} from '../../sources/sql/sql-task.js';
import { trustOptionsOf } from '../attributes.js';
import { credentialsOf, hostPortOf, urlOf } from '../net/endpoint.js';
import type { ToolContext } from '../tool.js';

/** How servers of a kind are named in endpoints. */
export interface SqlAddress {
  kind: SqlKind;
  /** Of a URL: `postgres:`; the first is shown in messages. */
  protocols: readonly [string, ...string[]];
}

interface NodeLogin {
  login: SqlLogin;
  /** Whose the credential is: the operator's, of SOURCES_FILE, that of the endpoint, or none: the user is a guess. */
  credential: 'listed' | 'own' | 'none';
}

/** Where to sign in: the endpoint of the node, or the server of SOURCES_FILE that it selects from. @throws where there is neither */
export async function loginOf(
  { kind, protocols }: SqlAddress,
  node: TopologyNode,
  { sources }: Pick<ToolContext, 'sources'>,
): Promise<NodeLogin> {
  const access = await sources?.accessOf?.(node, kind);
  const bound = access ? { ...node, endpoint: access.endpoint } : node;
  const [url, target] = [urlOf(bound, ...protocols), hostPortOf(bound)];
  if (!url || !target)
    throw new Error(
      `a node of kind ${kind} needs an endpoint ${protocols[0]}//host:port/database; ${node.id} has none`,
    );
  const usual = SQL_DEFAULTS[kind];
  const own = credentialsOf(url);
  const { user = usual.user, password } = access ?? own ?? {};
  // The author of a topology must not decide which server gets a credential of the operator.
  const tls = access ? access.tls : tlsOfNode(node, url);
  const login = {
    ...target,
    database: access?.selector ?? (decodeURIComponent(url.pathname.slice(1)) || usual.database),
    user,
    ...(password !== undefined && { password }),
    ...(tls && { tls }),
  };
  return { login, credential: access ? 'listed' : own ? 'own' : 'none' };
}

/** `sslmode=require` of libpq, `ssl-mode=REQUIRED` of MySQL, `sslMode=REQUIRED` of its JDBC driver. */
const WITHOUT_TLS = ['', 'disable', 'disabled'];

function tlsOfNode(node: TopologyNode, url: URL): SqlTls | undefined {
  const { ca, serverName, trustSelfSigned } = trustOptionsOf(node);
  const mode = [...url.searchParams].find(([name]) => /^ssl-?mode$/i.test(name))?.[1] ?? '';
  if (WITHOUT_TLS.includes(mode.toLowerCase())) return undefined;
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
export async function ownsDatabase(
  address: SqlAddress,
  context: ToolContext,
): Promise<(database: string) => boolean> {
  const { node, nodes } = context;
  const found = await Promise.all(
    nodes
      .filter(({ kind }) => kind === address.kind)
      .map(async (each) => {
        const known = await loginOf(address, each, context).catch(() => undefined);
        return known ? [{ id: each.id, ...known.login }] : [];
      }),
  );
  const logins = found.flat();
  const own = logins.find(({ id }) => id === node.id);
  const ofServer = logins.filter(({ host, port }) => host === own?.host && port === own.port);
  return (database) =>
    (ofServer.find((each) => each.database === database) ?? ofServer[0])?.id === node.id;
}
