import { createServer } from 'node:net';

/**
 * Why a server cannot listen: its port is in use. Asked before anything is started; another process may take the port after it.
 * @param port 0: any free one
 */
export function portFault(port: number, host: string): Promise<string | undefined> {
  if (port === 0) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const server = createServer();
    // Any other reason is the server's own to name.
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'EADDRINUSE' ? portInUse(port) : undefined),
    );
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

export const portInUse = (port: number): string =>
  `Port ${port} is in use. Set PORT to another one, or to 0 for any free port.`;
