/**
 * The faults of the shop: a description, the node (with its name) and the kind of failure that the
 * diagnosis should find, and the status that the storefront returns meanwhile. `needs`: the parts
 * of the full stack without which there is no such fault.
 */
export const FAULTS = {
  'redis-full': {
    means: 'the Redis of payments is full and must not evict keys: it refuses every write',
    node: 'payments-redis',
    name: 'Payments Redis',
    kind: 'out-of-memory',
    storefront: 502,
  },
  'payments-slow': {
    means: 'the connection to the bank is slow: payments responds after 1.2 to 2.4 s',
    node: 'payments',
    name: 'Payments',
    kind: 'latency',
    storefront: 200,
  },
  'inventory-down': {
    means: 'the inventory process is gone: its port is closed',
    node: 'inventory',
    name: 'Inventory',
    kind: 'unreachable',
    storefront: 502,
  },
  'certificate-expired': {
    means: "the storefront's TLS certificate has expired",
    node: 'storefront',
    name: 'Storefront',
    kind: 'certificate-expired',
    storefront: 200,
  },
  'checkout-crashing': {
    means: 'checkout crashes on every order and is restarted each time',
    node: 'checkout',
    name: 'Checkout',
    kind: 'crash-loop',
    storefront: 502,
  },
  'pool-exhausted': {
    means: 'reports hold all connections of PostgreSQL: orders gets none',
    node: 'orders-db',
    name: 'Orders DB',
    kind: 'connection-pool-exhausted',
    needs: ['postgres'],
    storefront: 502,
  },
  'lock-chain': {
    means: 'a migration has locked the table of orders and waits in its transaction',
    node: 'orders-db',
    name: 'Orders DB',
    kind: 'lock',
    needs: ['postgres'],
    storefront: 502,
  },
  'no-consumers': {
    means: 'the mailer takes receipts from a queue of another name: nothing reads theirs',
    node: 'receipts',
    name: 'Receipts queue',
    kind: 'queue-lag',
    needs: ['postgres', 'rabbitmq'],
    storefront: 200,
  },
  'memory-leak': {
    means: 'inventory keeps every reservation: its memory rises towards its limit for hours',
    node: 'inventory',
    name: 'Inventory',
    kind: 'memory-leak',
    needs: ['prometheus'],
    storefront: 200,
  },
  'bad-deploy': {
    means: 'a commit makes orders write a column that its table does not have',
    node: 'orders',
    name: 'Orders',
    kind: 'schema-mismatch',
    needs: ['postgres', 'git'],
    storefront: 502,
  },
  'readiness-probe': {
    means: 'the latest revision of search asks the wrong port for readiness (recorded Kubernetes)',
    node: 'search',
    name: 'Search',
    kind: 'config',
    needs: [],
    storefront: 200,
  },
  none: { means: 'no fault', node: null, storefront: 200 },
};
