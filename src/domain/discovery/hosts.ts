/** A host that a text names, with its port if the text has one. */
export interface NamedHost {
  host: string;
  port?: number;
}

/** Names of variables and options whose whole value may be a host. */
const NAMES_HOST =
  /HOST|ADDR|URL|URI|SERVER|ENDPOINT|SERVICE|BROKER|DSN|UPSTREAM|TARGET|BACKEND|CONN|PEER|NODES/i;
const HOST = String.raw`[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?`;
const URL_HOST = new RegExp(
  String.raw`^[a-z][a-z0-9+.:-]{0,40}://(?:[^/?#@]{0,500}@)?([^/?#]{1,500})`,
  'i',
);
const WITH_PORT = new RegExp(String.raw`^(?:[^@/]{0,200}@)?(${HOST}):(\d{1,5})(?:/.*)?$`, 'i');
const ALONE = new RegExp(`^${HOST}$`, 'i');
const MOST_TEXT = 8_192;

/**
 * The hosts that the value of a variable, or an argument of a command, names: hosts of URLs,
 * `host:port`, and a value that is nothing but a host if the name says that it is one. A host
 * counts only as a whole, never as a part of a word or of a path.
 */
export function hostsIn(name: string, value: string): NamedHost[] {
  const found: NamedHost[] = [];
  const namesHost = NAMES_HOST.test(name);
  for (const piece of value.slice(0, MOST_TEXT).split(/[\s;,"'`()<>|]+/)) {
    const [, option = '', given = piece] = /^-{0,2}([\w.-]{1,80})=(.*)$/.exec(piece) ?? [];
    const [, hosts] = URL_HOST.exec(given) ?? [];
    if (hosts !== undefined) found.push(...hosts.split(',').flatMap(hostOf));
    else if (WITH_PORT.test(given)) found.push(...hostOf(given.replace(/\/.*$/, '')));
    else if (ALONE.test(given) && /[a-z]/i.test(given) && (namesHost || NAMES_HOST.test(option)))
      found.push({ host: given.toLowerCase() });
  }
  return found;
}

function hostOf(text: string): NamedHost[] {
  const [, host, port] = WITH_PORT.exec(text) ?? [];
  if (host !== undefined) return [{ host: host.toLowerCase(), port: Number(port) }];
  return ALONE.test(text) ? [{ host: text.toLowerCase() }] : [];
}

/** The hosts of the arguments of a command, where `--name value` belongs together. */
export function hostsOfCommand(args: readonly string[]): NamedHost[] {
  return args.flatMap((argument, index) => {
    const before = args[index - 1] ?? '';
    return hostsIn(before.startsWith('-') && !before.includes('=') ? before : '', argument);
  });
}
