import { describe, expect, it } from '@jest/globals';
import { isServiceHost } from './check-host.js';

const own = { addresses: ['10.1.2.3', '::ffff:10.9.9.9', 'fe80::1%eth0'], port: 3000 };

describe('isServiceHost', () => {
  it.each([
    'localhost:3000',
    'LOCALHOST:3000',
    '127.0.0.1:3000',
    '[::1]:3000',
    '10.1.2.3:3000',
    '10.9.9.9:3000',
    '[fe80::1]:3000',
  ])('accepts %s, a name of the service', (host) =>
    expect(isServiceHost(host, own, [])).toBe(true),
  );

  it.each([
    'evil.example:3000',
    'evil.example',
    'localhost',
    'localhost:3001',
    'localhost.evil.example:3000',
    'localhost.:3000',
    '127.0.0.1:3000@evil.example',
    '127.0.0.1.evil.example:3000',
    '::1:3000',
    '10.1.2.4:3000',
    '2130706433:3000',
    ' localhost:3000',
    'localhost:3000/',
    'localhost:',
    '',
  ])('refuses %j', (host) => expect(isServiceHost(host, own, [])).toBe(false));

  it('needs no port if the service listens on port 80', () =>
    expect(isServiceHost('localhost', { ...own, port: 80 }, [])).toBe(true));

  it('accepts an allowed name with any port, and an allowed name with a port only with that port', () => {
    const allowed = ['consilium.example', 'proxy:8443'];
    const accepted = (host: string) => isServiceHost(host, own, allowed);
    expect(['consilium.example', 'Consilium.Example:444', 'proxy:8443'].every(accepted)).toBe(true);
    expect(['proxy', 'proxy:1', 'x.consilium.example'].some(accepted)).toBe(false);
  });
});
