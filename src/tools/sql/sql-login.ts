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

/** The names of a kind of servers in endpoints. */
export interface SqlAddress {
  kind: SqlKind;
  /** Of a URL: `postgres:`; the first is shown in messages. */
  protocols: readonly [string, ...string[]];
}

interface NodeLogin {
  login: SqlLogin;
  /**
   * The origin of the credential: the operator's, of SOURCES_FILE, that of the endpoint, or none:
   * the endpoint has no password.
   */
  credential: 'listed' | 'own' | 'none';
  /**
   * The node names its database: in its endpoint, or as what it selects of the server in
   * SOURCES_FILE.
   */
  isNamed: boolean;
  /** The id of the source that it selects from. */
  source?: string;
}

/**
 * Whether a measurement in a database belongs to the node: a session of it (the database is empty
 * if it has none), a state of it that concerns the whole server, or a session of a database that
 * belongs to no node (`stray`).
 */
export type Owns = (database: string, what: 'session' | 'server' | 'stray') => boolean;

/**
 * Where to sign in: the endpoint of the node, or the server of SOURCES_FILE that it selects from.
 * @throws if there is neither
 */
export async function loginOf(
  { kind, protocols }: SqlAddress,
  node: TopologyNode,
  { sources }: Pick<ToolContext, 'sources'>,
): Promise<NodeLogin> {
  const access = await sources?.accessOf?.(node, kind);
  const bound = access ? { ...node, endpoint: access.endpoint } : node;
  const url = urlOf(bound, ...protocols);
  const target = hostPortOf(bound);
  if (!url || !target)
    throw new Error(
      `a node of kind ${kind} needs an endpoint ${protocols[0]}//host:port/database; ${node.id} has none`,
    );
  const usual = SQL_DEFAULTS[kind];
  const named = decodeURIComponent(url.pathname.slice(1));
  const own = ownLogin(url);
  const { user = usual.user, password } = access ?? own;
  // The author of a topology must not decide which server gets a credential of the operator.
  const tls = access ? access.tls : tlsOfNode(node, url);
  const login = {
    ...target,
    database: access?.selector ?? (named || usual.database),
    user,
    ...(password !== undefined && { password }),
    ...(tls && { tls }),
  };
  const credential = access ? 'listed' : own.password === undefined ? 'none' : 'own';
  const isNamed = access ? access.selector !== undefined : named !== '';
  return { login, credential, isNamed, ...(access && { source: access.source }) };
}

function ownLogin(url: URL): { user?: string; password?: string } {
  const { user = '', password = '' } = credentialsOf(url) ?? {};
  return { ...(user !== '' && { user }), ...(password !== '' && { password }) };
}

/**
 * `sslmode=require` of libpq, `ssl-mode=REQUIRED` of MySQL, `sslMode=REQUIRED` of its JDBC driver.
 */
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
 * The node's part of its server, since the state of a server shows all databases. A database that
 * is a node belongs to that node. Sessions of another one belong to a system that the topology does
 * not describe, unless a node names no database: that node represents the rest. A state of the
 * whole server is the finding of one node, the first of the server. If nodes have several
 * credentials, each credential has its first node: if one is refused, the findings of the others
 * must not be lost.
 */
export async function ownsDatabase(address: SqlAddress, context: ToolContext): Promise<Owns> {
  const { node, nodes } = context;
  const found = await Promise.all(
    nodes
      .filter(({ kind }) => kind === address.kind)
      .map(async (each) => {
        const known = await loginOf(address, each, context).catch(() => undefined);
        return known ? [{ id: each.id, isNamed: known.isNamed, ...known.login }] : [];
      }),
  );
  const logins = found.flat();
  const own = logins.find(({ id }) => id === node.id);
  const ofServer = logins.filter(({ host, port }) => host === own?.host && port === own.port);
  const alike = ofServer.filter(
    ({ user, password }) => user === own?.user && password === own.password,
  );
  const [first] = alike;
  const rest = alike.find(({ isNamed }) => !isNamed);
  return (database, what) => {
    const hasIt = (each: { database: string }) => each.database === database;
    const named = alike.find(hasIt) ?? ofServer.find(hasIt);
    const isStray =
      database !== '' && named === undefined && ofServer.every(({ isNamed }) => isNamed);
    if (what === 'stray') return isStray && first?.id === node.id;
    return (named ?? (what === 'server' || database === '' ? first : rest))?.id === node.id;
  };
}
