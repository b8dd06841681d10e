import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { build } from 'esbuild';

const PAGES = join(import.meta.dirname, 'pages');
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
};

/** Serves the pages and forwards all other requests to a service, so that both have one origin. */
export async function startFront(
  service: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const files = {
    '/use-chat.js': await bundle('use-chat.tsx'),
    '/ag-ui.js': await bundle('ag-ui.tsx'),
    '/client.js': await bundle('client.ts'),
  };
  for (const name of ['use-chat', 'ag-ui', 'client', 'event-source'].map((page) => `${page}.html`))
    Object.assign(files, { [`/${name}`]: await readFile(join(PAGES, name)) });
  Object.assign(files, { '/page.css': await readFile(join(PAGES, 'page.css')) });
  const pages = new Map<string, Uint8Array>(Object.entries(files));
  const server = createServer((incoming, response) => {
    const { pathname } = new URL(incoming.url ?? '', 'http://front');
    const page = pages.get(pathname);
    if (page)
      response
        .writeHead(200, { 'content-type': TYPES[extname(pathname)] ?? 'text/plain' })
        .end(page);
    else pass(service, incoming, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bundle(entry: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(PAGES, entry)],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return (outputFiles[0] as { contents: Uint8Array }).contents;
}

function pass(service: string, incoming: IncomingMessage, response: ServerResponse): void {
  const onward = request(
    new URL(incoming.url ?? '', service),
    { method: incoming.method, headers: incoming.headers },
    (answer) => {
      // The response is close-delimited; Node would hold back the headers until the first bytes.
      response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    },
  );
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  incoming.pipe(onward);
}
