import { serve } from './serve.mjs';

// Inventory: reserves one piece of the stock for an order, and gives it back when the order was only looked at.
const stock = new Map([
  ['teapot', 40],
  ['cup', 400],
]);

serve({
  name: 'inventory',
  work: async () => {
    const left = stock.get('teapot') - 1;
    stock.set('teapot', left);
    setTimeout(() => stock.set('teapot', stock.get('teapot') + 1), 100);
    return { reserved: 'teapot', left };
  },
});
