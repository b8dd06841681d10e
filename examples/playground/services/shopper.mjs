import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { dieWithParent } from './die-with-parent.mjs';

// A customer who buys a teapot every 0.7 s, so that there are metrics. Times out like a browser.
dieWithParent();
const ca = readFileSync(new URL('../certs/ca.crt', import.meta.url));

setInterval(() => {
  const order = request(
    process.env.STOREFRONT_URL,
    { agent: false, ca, signal: AbortSignal.timeout(10_000) },
    (answer) => answer.resume(),
  );
  order.on('error', () => {});
  order.end();
}, 700);
process.send?.({ listening: 0 });
