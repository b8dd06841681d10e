import { withoutReferences } from './secrets/secret-reference.js';
import { hasRedactedPassword } from '../../lib/redact-urls.js';

/**
 * Required form of an endpoint by the kind of its node (contract section 9). Other kinds accept any
 * endpoint, or none.
 */
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

/**
 * The fault of an endpoint, or undefined. The text has the allowed form and not the value, which
 * may contain a password.
 */
export function endpointFault(kind: string, given: string | undefined): string | undefined {
  const endpoint = given === undefined ? undefined : withoutReferences(given);
  const expected = Object.hasOwn(FORMS, kind) ? FORMS[kind] : undefined;
  if (endpoint === undefined)
    return expected && `is required for a node of kind ${kind}: ${expected.form}`;
  if (hasRedactedPassword(endpoint))
    return 'its password is redacted (***); give the password itself';
  if (hasControlCharacters(endpoint)) return CONTROL_CHARACTERS;
  if (expected === undefined || expected.fits(endpoint)) return undefined;
  const isPortWrong = kind !== 'dns' && expected.fits(endpoint.replace(PORT, ':1'));
  return isPortWrong
    ? 'must have a port from 1 to 65535'
    : `must be ${expected.form} for a node of kind ${kind}`;
}

export const CONTROL_CHARACTERS =
  'must not hold control characters, also not percent-encoded (%0a) ones';

/** The port of a URL, or of `host:port`. */
const PORT =
  /(?<=^(?:[a-z]+:\/\/)?(?:[^\s/?#]*@)?(?:\[[^\]\s]*\]|[^\s/?#@:[\]]+)):[\d-]+(?=[/?#]|$)/i;

/**
 * Whether a text that becomes a part of a request has control characters, literally or
 * percent-encoded. Decoded, they could start a new line in the protocol of the target, or steer the
 * terminal of a reader.
 */
export const hasControlCharacters = (text: string): boolean =>
  /\p{Cc}/u.test(text) || /%(?:[01][\da-f]|7f|c2%[89][\da-f])/i.test(text);

/**
 * The domain has no `URL`. Accepts the host names, addresses and ports that `new URL` accepts for
 * these schemes.
 */
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

/**
 * Letters of any script, because names may be internationalised; `_` for service records. A last
 * label of digits would be an address.
 */
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

/**
 * RFC 4291: eight groups; `::` replaces one or more of them at most once; the last two may be an
 * IPv4 address.
 */
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
