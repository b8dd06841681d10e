import { serve } from './serve.mjs';

// Inventory: reserves one item for an order and returns it if the order was only viewed. The fault
// `memory-leak` is a release that keeps every reservation, some hours later.
const stock = new Map([
  ['teapot', 40],
  ['cup', 400],
]);

const isLeaking = process.env.FAULT === 'memory-leak';
const kept = isLeaking ? Array.from({ length: 110 }, () => Buffer.alloc(2 ** 20, 'x')) : [];

serve({
  name: 'inventory',
  work: async () => {
    if (isLeaking) kept.push(Buffer.alloc(4096, 'x'));
    const left = stock.get('teapot') - 1;
    stock.set('teapot', left);
    setTimeout(() => stock.set('teapot', stock.get('teapot') + 1), 100);
    return { reserved: 'teapot', left };
  },
});
