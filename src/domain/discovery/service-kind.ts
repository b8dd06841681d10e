interface ServiceKind {
  /** A part of the name of an image. */
  image: RegExp;
  ports: readonly number[];
  kind: string;
  /** Scheme of the endpoint; absent: `host:port`. */
  scheme?: string;
}

/** The kinds that have tools, and those that users expect to see. */
const KINDS: readonly ServiceKind[] = [
  { image: /(?:^|[/-])(?:redis|valkey|keydb)/, ports: [6379], kind: 'redis', scheme: 'redis' },
  {
    image: /(?:^|[/-])(?:postgres|timescale|postgis|cnpg)/,
    ports: [5432],
    kind: 'postgres',
    scheme: 'postgres',
  },
  {
    image: /(?:^|[/-])(?:mysql|mariadb|percona)/,
    ports: [3306],
    kind: 'mysql',
    scheme: 'mysql',
  },
  { image: /(?:^|[/-])rabbitmq/, ports: [5672], kind: 'rabbitmq' },
  { image: /(?:^|[/-])(?:mongo)/, ports: [27017], kind: 'mongodb' },
  { image: /(?:^|[/-])(?:kafka|redpanda)/, ports: [9092], kind: 'kafka' },
  { image: /(?:^|[/-])memcached/, ports: [11211], kind: 'memcached' },
  {
    image: /(?:^|[/-])(?:elasticsearch|opensearch)$/,
    ports: [9200],
    kind: 'elasticsearch',
    scheme: 'http',
  },
];
const HTTPS = 443;

/** The kind that an image or a port suggests; `service` if neither is known. */
export function kindOf({ image = '', port }: { image?: string; port?: number }): string {
  const name = (image.split('@')[0] ?? '').replace(/:[^:/]*$/, '').toLowerCase();
  const known =
    KINDS.find((each) => each.image.test(name)) ??
    KINDS.find(({ ports }) => port !== undefined && ports.includes(port));
  return known?.kind ?? 'service';
}

/** The default port of a kind; undefined for `service`. */
export const usualPort = (kind: string): number | undefined =>
  KINDS.find((each) => each.kind === kind)?.ports[0];

/** The endpoint of a node of a kind, as its tools read it. */
export function endpointOf(kind: string, host: string, port: number): string {
  if (kind === 'service')
    return port === HTTPS ? `https://${host}` : `http://${host}${port === 80 ? '' : `:${port}`}`;
  const scheme = KINDS.find((each) => each.kind === kind)?.scheme;
  return scheme === undefined ? `${host}:${port}` : `${scheme}://${host}:${port}`;
}
