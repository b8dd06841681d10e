import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { freePort } from './prometheus-program.js';
import { until } from '../until.js';

const require = createRequire(import.meta.url);
const PROGRAM = join(
  dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);

/** The reference server of the protocol, which talks over standard input and output. */
export const MCP_COMMAND = [process.execPath, PROGRAM, 'stdio'];

/** The same server over HTTP. */
export async function startMcpServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, [PROGRAM, 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  await until(
    'the MCP server is ready',
    async () => (await fetch(url).catch(() => undefined)) !== undefined,
  );
  return {
    url,
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/**
 * A server that answers the first request with a program of its own: text of a module that has
 * `send` and `input`.
 */
export const hostileMcp = (onMessage: string): string[] => [
  process.execPath,
  '-e',
  `const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
   const result = (id, value) => send({ id, result: value });
   const hello = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };
   require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
     const message = JSON.parse(line);
     const { id, method, params } = message;
     ${onMessage}
     if (method === 'initialize') result(id, hello);
     if (method === 'tools/list') result(id, { tools: [{ name: 'look', inputSchema: { type: 'object' } }] });
   });`,
];
