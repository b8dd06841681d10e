import net from 'node:net';

/** Returns a port of 127.0.0.1 that is free now. Another process may bind it first. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

const AUTHENTICATED = '+OK\r\n';

/**
 * Sends one inline command to a Redis on loopback. Returns the first bytes of its reply, or
 * undefined after a second.
 * @param password that the server requires
 */
export function askRedis(
  port: number,
  command: string,
  password?: string,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const signIn = password === undefined ? '' : `AUTH ${password}\r\n`;
    const socket = net.connect(port, '127.0.0.1', () => socket.write(`${signIn}${command}\r\n`));
    let answer: string | undefined;
    let received = '';
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString();
      if (signIn !== '' && AUTHENTICATED.startsWith(received)) return;
      answer = signIn === '' ? received : received.replace(AUTHENTICATED, '');
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}
