import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Trouble } from './call.mjs';
import { dieWithParent } from './die-with-parent.mjs';
import { Metrics } from './metrics.mjs';

/**
 * Common parts of the shop's services. `GET /` does the real work, `GET /health` reports whether
 * the work succeeds, `GET /metrics` is Prometheus text. Listens on loopback, on PORT or a free
 * port, and reports the port to its parent.
 *
 * @param {{name: string, work: () => Promise<object>, tls?: {key: Buffer, cert: Buffer}}} service
 */
export function serve({ name, work, tls }) {
  dieWithParent();
  const metrics = new Metrics(name);

  async function outcome(path) {
    try {
      const done = await work();
      return [
        200,
        path === '/health'
          ? { status: 'ok', checks: { process: 'ok', work: 'ok' } }
          : { service: name, ...done },
      ];
    } catch (error) {
      const status = error instanceof Trouble ? error.status : 500;
      if (path !== '/health') return [status, { error: error.message }];
      return [503, { status: 'failing', checks: { process: 'ok', work: error.message } }];
    }
  }

  const answer = async (request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname;
    if (path === '/metrics')
      return response
        .setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8')
        .end(metrics.text());
    const began = performance.now();
    const known = path === '/' || path === '/health';
    const [status, body] = known
      ? await outcome(path)
      : [404, { error: `${name} serves /, /health and /metrics` }];
    metrics.record(status, (performance.now() - began) / 1000);
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(`${JSON.stringify(body)}\n`);
  };

  const server = tls ? createTlsServer(tls, answer) : createServer(answer);
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
    process.send?.({ listening: server.address().port }),
  );
}
