import ipaddr from 'ipaddr.js';
import { addressesOf, type Address } from './plain-address.js';

/** A rule of `EGRESS_ALLOW` or `EGRESS_DENY`: its text, and what it matches. */
export interface EgressRule {
  text: string;
  /** @param name as the topology names the host, in lower case */
  coversName(name: string, port: number): boolean;
  coversAddress(address: Address, port: number): boolean;
}

const FORM = /^(?:\[([^\]]+)\]|([^:[\]]+|[^[\]]*:[^[\]]*:[^[\]]*))(?::(\d{1,5})(?:-(\d{1,5}))?)?$/;
const NAME = /^(\*\.)?[a-z0-9_]([a-z0-9_.-]{0,252}[a-z0-9_])?$/;

/**
 * Parses `10.0.0.0/8`, `192.168.1.5`, `[fd00::/8]`, `db.shop.example` or `*.shop.example`, each
 * with an optional `:PORT` or `:FROM-TO`.
 * @throws Error that states what is allowed
 */
export function parseEgressRule(text: string): EgressRule {
  const [, six, plain = six, from, to = from] = FORM.exec(text.trim().toLowerCase()) ?? [];
  const inRange = (port: number) =>
    from === undefined || (port >= Number(from) && port <= Number(to));
  if (plain === undefined || Number(from) > Number(to) || Number(to) > 65_535) throw fault(text);
  const range = rangeOf(plain);
  if (range)
    return {
      text,
      coversName: () => false,
      coversAddress: (address, port) =>
        inRange(port) && address.kind() === range[0].kind() && address.match(...range),
    };
  if (!NAME.test(plain) || /^[\d.]+$/.test(plain)) throw fault(text);
  return {
    text,
    coversName: (name, port) =>
      inRange(port) && (plain.startsWith('*.') ? name.endsWith(plain.slice(1)) : name === plain),
    coversAddress: () => false,
  };
}

const fault = (text: string) =>
  new Error(
    `"${text.slice(0, 100)}" is no address, network or name: 10.0.0.0/8, [fd00::/8], db.example or *.example, each with :PORT or :FROM-TO if wanted`,
  );

/** @throws Error if the length of the prefix is not possible */
function rangeOf(text: string): [Address, number] | undefined {
  const [host = '', bits] = text.split('/');
  if (!ipaddr.IPv4.isValidFourPartDecimal(host) && !ipaddr.IPv6.isValid(host)) return undefined;
  if (bits !== undefined) {
    if (!ipaddr.isValidCIDR(text)) throw fault(text);
    return ipaddr.parseCIDR(text);
  }
  const [address] = addressesOf(host).slice(-1);
  return address && [address, address.kind() === 'ipv4' ? 32 : 128];
}
