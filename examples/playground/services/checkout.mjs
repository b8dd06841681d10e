import { call } from './call.mjs';
import { serve } from './serve.mjs';

// Checkout: reserves the goods, takes the payment, prints the receipt. The fault
// `checkout-crashing` is a release whose tax table lacks the country of every customer; the
// exception is not caught.
const { INVENTORY_URL, PAYMENTS_URL, ORDERS_URL, FAULT } = process.env;
const taxes = FAULT === 'checkout-crashing' ? {} : { DE: { percent: 19 } };

serve({
  name: 'checkout',
  work: async () => {
    const [reservation, payment, order] = await Promise.all([
      call('inventory', INVENTORY_URL, { timeoutMs: 2000 }),
      call('payments', PAYMENTS_URL, { timeoutMs: 5000 }),
      ORDERS_URL ? call('orders', ORDERS_URL, { timeoutMs: 3000 }) : {},
    ]);
    const receipt = await printReceipt('DE');
    return {
      reserved: reservation.reserved,
      booked: payment.booked,
      stored: order.stored,
      receipt,
    };
  },
});

function printReceipt(country) {
  return new Promise((printed) =>
    setImmediate(() => printed(`1 teapot, 19.90 EUR, ${taxes[country].percent} % tax included`)),
  );
}
