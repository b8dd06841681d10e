import { createServer } from 'node:net';

/**
 * Why a server cannot listen: its variable, the address and a remedy. Checked before anything is
 * started; another process may take the port afterwards.
 * @param port 0: any free one
 */
export function listenFault(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
      resolve(faultOf(code, port, host)),
    );
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

/** Undefined: the server itself reports any other reason. */
function faultOf(code: string, port: number, host: string): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return portInUse(port);
    case 'EACCES':
      return `PORT is ${port}, which this user may not listen on (EACCES). Set it to 1024 or more, or to 0 for any free port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST is ${host}, which is no address of this machine (${code}). Set it to one of its addresses, to 127.0.0.1, or to 0.0.0.0 for all.`;
    default:
      return undefined;
  }
}

export const portInUse = (port: number): string =>
  `Port ${port} is in use. Set PORT to another one, or to 0 for any free port.`;
