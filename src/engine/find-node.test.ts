import { describe, expect, it } from '@jest/globals';
import { nodeFinder } from './find-node.js';

const nodes = ['cart', 'cart-db', 'checkout-service', 'QuoteApi', 'web'].map((id) => ({
  id,
  names: [`The ${id}`],
}));
const { find, unknown } = nodeFinder(nodes);

describe('the node that labels name', () => {
  it.each([
    [{ job: 'The web', instance: 'cart:8080' }, 'web'],
    [{ service: 'shop/cart' }, 'cart'],
    [{ destination_service: 'cart.shop.svc.cluster.local' }, 'cart'],
    [{ instance: 'cart-db.internal:9187' }, 'cart-db'],
    [{ 'service.name': 'cart_service' }, 'cart'],
    [{ app: 'checkout' }, 'checkout-service'],
    [{ app: 'CheckoutService' }, 'checkout-service'],
    [{ application: 'quote-api' }, 'QuoteApi'],
    [{ pod_name: 'cart-db-0' }, 'cart-db'],
    [{ pod: 'cart-7d9f8c6b5-x2x4z', container: 'istio-proxy' }, 'cart'],
    [{ 'k8s.pod.name': 'web-x2x4z' }, 'web'],
    [{ container_name: 'WEB' }, 'web'],
  ])('%j is %s', (labels, id) => {
    expect(find(labels)).toBe(id);
  });

  it.each([{ service: 'cartographer' }, { app: 'db' }, { job: 'node-exporter' }, {}])(
    'is none of %j',
    (labels) => {
      expect(find(labels)).toBeUndefined();
    },
  );

  it('is none if two nodes are written alike', () => {
    const alike = nodeFinder(['cart', 'cart-service'].map((id) => ({ id, names: [] })));
    expect(alike.find({ app: 'Cart' })).toBeUndefined();
    expect(alike.find({ app: 'cart' })).toBe('cart');
  });

  it('keeps the name of what is not in the topology', () => {
    expect(unknown({ app: 'mailer' })).toBe('mailer');
    expect(unknown({ pod: 'mailer-7d9f8c6b5-x2x4z' })).toBe('mailer');
    expect(unknown({ region: 'eu' })).toBeUndefined();
  });
});
