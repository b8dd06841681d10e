import { readFileSync } from 'node:fs';
import { call } from './call.mjs';
import { serve } from './serve.mjs';

// Storefront: the entry of the shop, over HTTPS. The fault `certificate-expired` is an expired
// certificate.
const { CHECKOUT_URL, FAULT } = process.env;
const file = (name) => readFileSync(new URL(`../certs/${name}`, import.meta.url));
const certificate = FAULT === 'certificate-expired' ? 'expired' : 'valid';

serve({
  name: 'storefront',
  tls: { key: file(`${certificate}.key`), cert: file(`${certificate}.crt`) },
  work: async () => {
    const { receipt } = await call('checkout', CHECKOUT_URL, { timeoutMs: 8000 });
    return { sold: receipt };
  },
});
