/**
 * The faults of the shop: a description, the node that the diagnosis should name, and what a customer gets from the
 * storefront meanwhile.
 */
export const FAULTS = {
  'redis-full': {
    means: "payments' Redis is at maxmemory and may evict nothing: it refuses every write",
    node: 'payments-redis',
    storefront: 502,
  },
  'payments-slow': {
    means: 'the line to the bank is slow: payments answers after 1.2 to 2.4 s',
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
    means: 'checkout crashes on every order and is started again, over and over',
    node: 'checkout',
    storefront: 502,
  },
  none: { means: 'all is well', node: null, storefront: 200 },
};
