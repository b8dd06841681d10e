import { serve } from './serve.mjs';

// Inventory: reserves one item for an order and returns it if the order was only viewed.
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
