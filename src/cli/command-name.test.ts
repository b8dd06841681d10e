import { expect, it } from '@jest/globals';
import { commandName } from './command-name.js';

it.each([
  ['/project/node_modules/.bin/consilium', 'consilium demo'],
  ['/project/dist/cli/consilium.js', 'consilium demo'],
  ['/clone/dist/cli/demo.js', 'npm run demo --'],
])('of %s is %s', (script, name) => expect(commandName('demo', script)).toBe(name));
