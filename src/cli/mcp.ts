import { parseArgs } from 'node:util';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Client } from '../client/index.js';
import { createMcpServer } from '../mcp/mcp-server.js';
import { commandName } from './command-name.js';
import { printError } from './print-error.js';
import { wrongOption } from './wrong-option.js';
import { keyHeaders } from './key-headers.js';

const USAGE = `Serves a running Consilium to an MCP host (Claude Desktop, an editor) over standard input and output.

Usage: ${commandName('mcp')} [options]

      --server URL   the service (default: http://127.0.0.1:3000)
  -h, --help         this help

CONSILIUM_API_KEY is sent as a bearer token, if it is set.
`;

const OPTIONS = {
  server: { type: 'string', default: 'http://127.0.0.1:3000' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Standard output is reserved for the protocol: everything else is written to standard error. */
function main(): void {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (values.help) return void process.stderr.write(USAGE);
    const client = new Client(values.server, { headers: keyHeaders() });
    serveStdio(() => createMcpServer(client), { onerror: printError });
  } catch (error) {
    printError(wrongOption(error, OPTIONS));
    process.exitCode = 2;
  }
}

main();
