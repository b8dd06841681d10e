import { parseArgs } from 'node:util';
import { interruptSignal, unlessAborted } from './local/interrupt.js';
import type { Service } from './service.js';

const say = (line: string) => process.stdout.write(`${line}\n`);
const USAGE = `Runs the service until Ctrl-C. It has no options: variables of the environment set it up (docs/configuration.md).

  -h, --help  print this help
`;
try {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    say(USAGE.trimEnd());
    process.exit(0);
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
  process.exit(2);
}

const { startService } = await import('./service.js');
// Created only now: before, there is nothing to stop, and loading modules would delay Ctrl-C.
const interrupt = interruptSignal();

try {
  const service = await unlessAborted(startService(process.env, { say }), interrupt);
  const { role } = service.config;
  const there =
    role === 'worker'
      ? 'health at /health/ready, metrics at /metrics'
      : `API documentation at ${service.url}/docs`;
  say(`consilium (${role}) listens on ${service.url}, ${there}`);
  if (service.consoleUrl) say(`Console: ${service.consoleUrl}`);
  void service.lost.then((why) => {
    process.stderr.write(`${why} The service stops. Start it again.\n`);
    process.exit(1);
  });
  interrupt.addEventListener('abort', () => void close(service));
} catch (error) {
  // A private Redis that was started ends with this process.
  if (interrupt.aborted) process.exit(130);
  process.stderr.write(
    `Consilium could not start: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
}

async function close(service: Service): Promise<void> {
  say(`Shutting down; running work has at most ${service.config.shutdownGraceSeconds} s.`);
  try {
    await service.close();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`The shutdown failed: ${String(error)}\n`);
    process.exit(1);
  }
}
