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

/**
 * Sends one inline command to a Redis on loopback. Returns the first bytes of its reply, or
 * undefined after a second.
 */
export function askRedis(port: number, command: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    let answer: string | undefined;
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('data', (bytes: Buffer) => {
      answer = bytes.toString();
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}
