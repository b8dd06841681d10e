/**
 * The faults of the shop: a description, the node (with its name) and the kind of failure that the diagnosis should find, and the
 * status that the storefront returns meanwhile.
 */
export const FAULTS = {
  'redis-full': {
    means: 'the Redis of payments is full and must not evict keys: it refuses every write',
    ...{ node: 'payments-redis', name: 'Payments Redis', kind: 'out-of-memory' },
    storefront: 502,
  },
  'payments-slow': {
    means: 'the connection to the bank is slow: payments responds after 1.2 to 2.4 s',
    ...{ node: 'payments', name: 'Payments', kind: 'latency' },
    storefront: 200,
  },
  'inventory-down': {
    means: 'the inventory process is gone: its port is closed',
    ...{ node: 'inventory', name: 'Inventory', kind: 'unreachable' },
    storefront: 502,
  },
  'certificate-expired': {
    means: "the storefront's TLS certificate has expired",
    ...{ node: 'storefront', name: 'Storefront', kind: 'certificate-expired' },
    storefront: 200,
  },
  'checkout-crashing': {
    means: 'checkout crashes on every order and is restarted each time',
    ...{ node: 'checkout', name: 'Checkout', kind: 'crash-loop' },
    storefront: 502,
  },
  none: { means: 'no fault', node: null, storefront: 200 },
};
