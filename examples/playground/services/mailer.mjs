import { serve } from './serve.mjs';
import { Stomp } from './stomp.mjs';

// The mailer: takes receipts from their queue. The fault `no-consumers` is a release that takes
// them from a queue of another name.
const { FAULT, STOMP_PORT } = process.env;
let sent = 0;
new Stomp(Number(STOMP_PORT)).subscribe(FAULT === 'no-consumers' ? 'receipt' : 'receipts', () => {
  sent += 1;
});

serve({ name: 'mailer', work: async () => ({ mailed: sent }) });
