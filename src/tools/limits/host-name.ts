import ipaddr from 'ipaddr.js';
import { addressesOf } from '../egress/plain-address.js';

/**
 * The normalised spelling of a host, so that its connections are counted together however a
 * topology writes it: lower case, without final dots; for an address its usual form, and the
 * embedded IPv4 address of an IPv6 one. Names are not resolved: see `countedAddress`.
 */
export function hostName(host: string): string {
  const name = host.toLowerCase().replace(/\.+$/, '');
  return ipaddr.isValid(name) ? (addressesOf(name).at(-1)?.toString() ?? name) : name;
}
