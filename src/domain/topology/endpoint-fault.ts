import { hasRedactedPassword } from '../../lib/redact-urls.js';

/** The form that an endpoint has, by the kind of its node (contract section 9). Kinds not named here may have any or none. */
const FORMS: Readonly<Record<string, { form: string; fits: (endpoint: string) => boolean }>> = {
  service: {
    form: 'an http:// or https:// URL',
    fits: (endpoint) => isUrl(endpoint, ['http', 'https']),
  },
  prometheus: {
    form: 'an http:// or https:// URL',
    fits: (endpoint) => isUrl(endpoint, ['http', 'https']),
  },
  redis: {
    form: 'a redis:// or rediss:// URL',
    fits: (endpoint) => isUrl(endpoint, ['redis', 'rediss']),
  },
  tcp: { form: 'host:port, such as 127.0.0.1:5432 or [::1]:5432', fits: isHostAndPort },
  tls: { form: 'host:port, such as example.org:443 or [::1]:443', fits: isHostAndPort },
  dns: {
    form: 'a host name, such as example.org',
    fits: (endpoint) => isHostName(endpoint.replace(/\.$/, '')),
  },
};

/** What is wrong with the endpoint of a node of this kind, or undefined. Says what is allowed, never what was given: that may hold a password. */
export function endpointFault(kind: string, endpoint: string | undefined): string | undefined {
  const expected = Object.hasOwn(FORMS, kind) ? FORMS[kind] : undefined;
  if (endpoint === undefined)
    return expected && `is required for a node of kind ${kind}: ${expected.form}`;
  if (hasRedactedPassword(endpoint))
    return 'its password is redacted (***); give the password itself';
  if (hasControlCharacters(endpoint))
    return 'must not hold control characters, also not percent-encoded (%0a) ones';
  return expected === undefined || expected.fits(endpoint)
    ? undefined
    : `must be ${expected.form} for a node of kind ${kind}`;
}

/**
 * Whether an endpoint holds control characters before its query, as they are or percent-encoded: decoded, they would be lines
 * of their own to whatever listens there. A query is sent as it is written.
 */
export function hasControlCharacters(endpoint: string): boolean {
  const text = endpoint.split(/[?#]/, 1)[0] ?? '';
  return /\p{Cc}/u.test(text) || /%(?:[01][\da-f]|7f|c2%[89][\da-f])/i.test(text);
}

/** The domain has no `URL`: this takes what `new URL` takes of these schemes, host names, addresses and ports included. */
function isUrl(text: string, schemes: readonly string[]): boolean {
  const match =
    /^([a-z]+):\/\/(?:[^\s/?#]*@)?(\[[^\]\s]*\]|[^\s/?#@:[\]]+)(?::(\d{1,5}))?(?:[/?#]\S*)?$/i.exec(
      text,
    );
  if (match === null) return false;
  const [, scheme = '', host = '', port] = match;
  return (
    schemes.includes(scheme.toLowerCase()) && isHost(host) && (port === undefined || isPort(port))
  );
}

function isHostAndPort(text: string): boolean {
  const [, host, port] = /^(\[[^\]]*\]|[^:[\]]+):(\d{1,5})$/.exec(text) ?? [];
  return host !== undefined && port !== undefined && isHost(host) && isPort(port);
}

const isPort = (text: string): boolean => Number(text) >= 1 && Number(text) <= 65_535;

function isHost(text: string): boolean {
  if (text.startsWith('[')) return isIpv6(text.slice(1, -1));
  return isHostName(text.replace(/\.$/, '')) || isIpv4(text);
}

/** Letters of any script, since names may be internationalised; `_` for service records. A last label of digits would be an address. */
function isHostName(text: string): boolean {
  if (text.length > 253) return false;
  const labels = text.split('.');
  return (
    labels.every((part) =>
      /^[\p{L}\p{N}\p{M}_](?:[\p{L}\p{N}\p{M}_-]{0,61}[\p{L}\p{N}\p{M}_])?$/u.test(part),
    ) && !/^\d+$/.test(labels.at(-1) ?? '')
  );
}

const isIpv4 = (text: string): boolean =>
  /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text);

/** RFC 4291: eight groups, `::` at most once in place of one or more of them, the last two perhaps as an IPv4 address. */
function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (text.length > 45 || halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const tail = groups.at(-1) ?? '';
  const embedded = tail.includes('.');
  if (embedded && (!isIpv4(tail) || text.endsWith('::'))) return false;
  const hex = embedded ? groups.slice(0, -1) : groups;
  const size = hex.length + (embedded ? 2 : 0);
  return (
    hex.every((group) => /^[\da-f]{1,4}$/i.test(group)) &&
    (halves.length === 2 ? size <= 7 : size === 8)
  );
}
