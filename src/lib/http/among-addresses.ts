/** An address of a host, which was checked: a connection may go to it. */
export interface HostAddress {
  address: string;
  family: 4 | 6;
}

/**
 * One of several addresses may be dead: the next is tried after this many milliseconds. Node's own
 * 250 cuts off far hosts.
 */
const NEXT_ADDRESS_MS = 1_500;

type LookupCallback = (
  error: null,
  address: string | { address: string; family: number }[],
  family?: number,
) => void;

/**
 * Options of a connection (`net.connect`, `http.request`) to a host by these addresses, tried in
 * turn. The name is not resolved again: one that changes after its check changes nothing.
 *
 * @throws Error if there is no address
 */
export function amongAddresses(host: string, addresses: readonly HostAddress[]) {
  const [first] = addresses;
  if (first === undefined) throw new Error(`${host} has no address`);
  return {
    lookup: (_host: string, { all }: { all?: boolean | undefined }, done: LookupCallback): void =>
      all ? done(null, [...addresses]) : done(null, first.address, first.family),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  };
}
