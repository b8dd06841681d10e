import { expect, it } from '@jest/globals';
import { hostName } from './host-name.js';

it.each([
  ['Shop.Example.', 'shop.example'],
  ['localhost', 'localhost'],
  ['127.1', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['0x7f.0.0.1', '127.0.0.1'],
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['0:0:0:0:0:ffff:7f00:1', '127.0.0.1'],
  ['64:ff9b::7f00:1', '127.0.0.1'],
  ['0:0::1', '::1'],
  ['', ''],
])('M3: counts %s as %s', (host, name) => expect(hostName(host)).toBe(name));
