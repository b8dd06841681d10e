import ipaddr from 'ipaddr.js';
import { addressesOf } from '../egress/plain-address.js';

/**
 * The one spelling of a host, so that its connections are counted together however a topology
 * writes it: lower case, without dots at the end; of an address its usual form, and the IPv4
 * address that an IPv6 one carries. Names are not resolved: see `countedAddress`.
 */
export function hostName(host: string): string {
  const name = host.toLowerCase().replace(/\.+$/, '');
  return ipaddr.isValid(name) ? (addressesOf(name).at(-1)?.toString() ?? name) : name;
}
