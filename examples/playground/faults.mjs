/**
 * The faults of the shop: a description, the node that the diagnosis should name, and the status
 * that the storefront returns meanwhile.
 */
export const FAULTS = {
  'redis-full': {
    means: 'the Redis of payments is full and must not evict keys: it refuses every write',
    node: 'payments-redis',
    storefront: 502,
  },
  'payments-slow': {
    means: 'the connection to the bank is slow: payments responds after 1.2 to 2.4 s',
    node: 'payments',
    storefront: 200,
  },
  'inventory-down': {
    means: 'the inventory process is gone: its port is closed',
    node: 'inventory',
    storefront: 502,
  },
  'certificate-expired': {
    means: "the storefront's TLS certificate has expired",
    node: 'storefront',
    storefront: 200,
  },
  'checkout-crashing': {
    means: 'checkout crashes on every order and is restarted each time',
    node: 'checkout',
    storefront: 502,
  },
  none: { means: 'no fault', node: null, storefront: 200 },
};
