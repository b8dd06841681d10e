#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { allowed, quote } from '../lib/text.js';

const COMMANDS: Record<string, { does: string; run: () => Promise<unknown> }> = {
  diagnose: {
    does: 'diagnoses a topology file or a recorded incident',
    run: () => import('./diagnose.js'),
  },
  capture: { does: 'records telemetry as an incident bundle', run: () => import('./capture.js') },
  demo: {
    does: 'starts a small shop, injects a fault and diagnoses it',
    run: () => import('./demo.js'),
  },
  discover: {
    does: 'drafts a topology from files or sources',
    run: () => import('./discover.js'),
  },
  doctor: {
    does: 'checks settings, the Redis and which sources answer',
    run: () => import('./doctor.js'),
  },
  mcp: { does: 'serves diagnoses to MCP clients', run: () => import('./mcp.js') },
  approve: {
    does: 'approves or refuses a change that a run asks for',
    run: () => import('./approve.js'),
  },
  restore: {
    does: 'restores a backup into an empty Redis',
    run: () => import('./restore.js'),
  },
  keys: { does: 'manages API keys', run: () => import('./keys.js') },
  start: { does: 'runs the service', run: () => import('../main.js') },
};

const USAGE = `Usage: consilium COMMAND [options]

${Object.entries(COMMANDS)
  .map(([name, { does }]) => `  ${name.padEnd(10)} ${does}`)
  .join('\n')}

\`consilium COMMAND --help\` lists the options of a command, \`consilium --version\` prints the version.
`;

/** The version of the package, both in a clone and installed. */
const version = (): string => {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
};

const [program = '', script = '', name = '', ...args] = process.argv;
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command) {
  // Each command reads its own arguments.
  process.argv = [program, script, ...args];
  await command.run();
} else if (name === '--help' || name === '-h') process.stdout.write(USAGE);
else if (name === '--version') process.stdout.write(`${version()}\n`);
else {
  const what = name === '' ? 'Name a command' : `There is no command ${quote(name)}`;
  console.error(`${what}: ${allowed(name, Object.keys(COMMANDS))}.\n\n${USAGE}`);
  process.exitCode = 2;
}
