import { chmodSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { McpServers } from '../../../src/tools/own/ask-mcp.js';

export const secretOf = (name: string) => (name === 'TOKEN' ? 's3cret-value' : undefined);
export const mcp = new McpServers([], secretOf);
const PROGRAMS: Record<string, string> = {
  'depth.sh': `echo "{\\"queue\\": {\\"depth\\": $1}, \\"name\\": \\"$2\\"}"`,
  'env.sh': 'env | sort | grep -v "^_=\\|^PWD=\\|^SHLVL="',
  'fail.sh': 'echo broken >&2; exit 4',
  'mute.sh': 'exit 4',
  'loud.sh': 'while true; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done',
  'slow.sh': 'sleep 100 & echo $! > child; wait',
};
export const DEPTH = {
  description: 'Depth of a queue.',
  kinds: ['queue'],
  command: ['depth.sh', '{depth}', '{node}'],
  parameters: { depth: { type: 'integer', minimum: 0, maximum: 5_000, description: 'How deep' } },
  measurements: { depth: 'queue.depth' },
  thresholds: [
    { measurement: 'depth', above: 100, severity: 'critical', title: '{value} messages wait' },
  ],
};

/** A folder of tools: small programs, and a file for each tool. */
export function folderWith(files: Record<string, object>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'own-tools-')));
  for (const [name, body] of Object.entries(PROGRAMS)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  for (const [name, file] of Object.entries(files))
    writeFileSync(join(folder, `${name}.yaml`), stringify(file));
  return folder;
}
/** The file of a tool that runs a program. */
export const echo = (program: string, more: object = {}) => ({
  description: 'x',
  kinds: ['queue'],
  command: [program],
  ...more,
});
