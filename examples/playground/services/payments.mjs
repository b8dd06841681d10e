import { Redis } from 'ioredis';
import { Trouble } from './call.mjs';
import { serve } from './serve.mjs';
import { SettlementLine } from './settlement-line.mjs';

// Payments: records each payment in its Redis and settles it with the bank. The fault
// `payments-slow` is a slow connection to the bank.
const redis = new Redis(process.env.REDIS_URL, {
  maxRetriesPerRequest: 1,
  connectTimeout: 1000,
  commandTimeout: 2000,
});
redis.on('error', () => {}); // each command reports it, too
const line = new SettlementLine(process.env.FAULT === 'payments-slow' ? 1200 : 5);
let last = 0;

serve({
  name: 'payments',
  work: async () => {
    const payment = `payment:${process.pid}-${(last += 1)}`;
    try {
      await redis.set(
        payment,
        JSON.stringify({ amount: 1990, currency: 'EUR', at: new Date().toISOString() }),
        'EX',
        60,
      );
    } catch (error) {
      throw new Trouble(500, `cannot book the payment: ${error.message}`);
    }
    await line.settle(payment);
    return { booked: payment };
  },
});
