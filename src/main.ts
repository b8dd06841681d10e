import { startService } from './service.js';

const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  const service = await startService(process.env, { say });
  const { role } = service.config;
  const there =
    role === 'worker'
      ? 'health at /health/ready, metrics at /metrics'
      : `API documentation at ${service.url}/docs`;
  say(`consilium (${role}) listens on ${service.url}, ${there}`);
  if (service.consoleUrl) say(`Console: ${service.consoleUrl}`);
  let closing = false;
  const close = (signal: string) => {
    if (closing) return;
    closing = true;
    say(
      `${signal}: shutting down; running work has at most ${service.config.shutdownGraceSeconds} s`,
    );
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`The shutdown failed: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  void service.lost.then((why) => {
    process.stderr.write(`${why} The service stops. Start it again.\n`);
    process.exit(1);
  });
  process.on('SIGTERM', () => close('SIGTERM'));
  process.on('SIGINT', () => close('SIGINT'));
} catch (error) {
  process.stderr.write(
    `Consilium could not start: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
}
