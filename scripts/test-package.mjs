// `npm run test:package`: packs both packages, installs them from their tarballs into an empty
// folder, and uses them as a new user does: `npx consilium diagnose` and `demo`, and a program on
// the client library. Needs the registry of npm, unlike `npm test`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'consilium-installed-'));
const failures = [];

/**
 * Runs a command in a folder of the test; records a failure unless its code and output are as
 * expected.
 */
function run(name, [command, ...args], { cwd = folder, code = 0, says = /./, input = '' } = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, input, encoding: 'utf8' });
  const isRight = status === code && says.test(stdout);
  console.log(`${isRight ? 'ok    ' : 'FAILED'}  ${name}`);
  if (!isRight) failures.push(`${name}: ended with ${status}\n${stdout}${stderr}`);
}

const port = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
await once(port, 'listening');
const endpoint = `127.0.0.1:${port.address().port}`;
const topology = `id: 7\nname: Ports\nnodes:\n  - { id: open, name: Open, kind: tcp, endpoint: "${endpoint}" }\n`;
const closed = '  - { id: closed, name: Closed, kind: tcp, endpoint: "127.0.0.1:9" }\n';
const PROGRAM = `import { Client } from 'consilium-client';
await new Client('http://127.0.0.1:9').show('x').catch((error) => console.log(error.message));`;

try {
  const packed = ['npm', 'pack', '.', './packages/client', '--silent'];
  run('npm pack', [...packed, '--pack-destination', folder], { cwd: root, says: /\.tgz/ });
  for (const name of ['consilium', 'consilium-client'])
    for (const created of [
      ['npm', 'init', '-y'],
      ['npm', 'install', `../${name}-0.1.0.tgz`],
    ]) {
      const cwd = join(folder, `with-${name}`);
      mkdirSync(cwd, { recursive: true });
      run(`${created.slice(0, 2).join(' ')} with ${name}`, created, { cwd });
    }
  const cwd = join(folder, 'with-consilium');
  const npx = (...args) => ['npx', '--no-install', 'consilium', ...args];
  const healthy = { cwd, input: topology, says: /"verdict": "healthy"/ };
  run('npx consilium diagnose of what is healthy', npx('diagnose', '-', '--json'), healthy);
  writeFileSync(join(cwd, 'ports.yaml'), topology + closed);
  const broken = { cwd, code: 1, says: /Root cause[^]*Closed: connection refused/ };
  run('npx consilium diagnose of what is broken', npx('diagnose', 'ports.yaml'), broken);
  const demo = { cwd, says: /Inventory is the root cause: connection refused/ };
  run('npx consilium demo', npx('demo', '--fault', 'inventory-down'), demo);

  const client = join(folder, 'with-consilium-client');
  writeFileSync(join(client, 'program.mjs'), PROGRAM);
  run('a program on consilium-client', ['node', 'program.mjs'], { cwd: client, says: /No answer/ });
  const installed = readdirSync(join(client, 'node_modules')).filter(
    (name) => !name.startsWith('.'),
  );
  if (installed.join() !== 'consilium-client,eventsource-parser')
    failures.push(`consilium-client brings ${installed.join(', ')}`);
} finally {
  port.close();
  rmSync(folder, { recursive: true, force: true });
}
if (failures.length > 0) console.error(failures.join('\n'));
process.exit(failures.length > 0 ? 1 : 0);
