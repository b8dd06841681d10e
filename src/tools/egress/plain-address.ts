import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The IPv4 address that stands in two 16-bit groups of an IPv6 address. */
const fourOf = (high = 0, low = 0): ipaddr.IPv4 =>
  new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);

/**
 * An address, and the embedded IPv4 address if it has one of the IPv6 forms with one: a packet for
 * such an address may be delivered to the other. IPv4-mapped and -compatible (RFC 4291), 6to4 (RFC
 * 3056), Teredo (RFC 4380) and NAT64 (RFC 6052, RFC 8215).
 * @param text as `dns.lookup` and sockets write it; a zone (`%eth0`) is ignored
 * @throws Error if it is not an address
 */
export function addressesOf(text: string): Address[] {
  const address = ipaddr.parse(text.replace(/%.*$/, ''));
  if (address instanceof ipaddr.IPv4) return [address];
  const [a = 0, b = 0, c = 0, , , , g = 0, h = 0] = address.parts;
  switch (true) {
    case address.isIPv4MappedAddress():
      return [address.toIPv4Address()];
    case a === 0x2002:
      return [address, fourOf(b, c)];
    case a === 0x2001 && b === 0:
      return [address, fourOf(g ^ 0xffff, h ^ 0xffff)];
    case a === 0x64 && b === 0xff9b:
    case address.parts.slice(0, 6).every((part) => part === 0) && (g !== 0 || h > 1):
      return [address, fourOf(g, h)];
    default:
      return [address];
  }
}
