import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * Whether kcat, and with it the mock cluster of librdkafka, is installed (Debian: `apt-get install
 * kcat`).
 */
export function hasKcat(): boolean {
  try {
    execFileSync('kcat', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface KafkaProgram {
  /** `127.0.0.1:40001,127.0.0.1:40002` */
  brokers: string;
  /** Writes a message to a partition of a topic, which makes the topic if needed. */
  write(topic: string, partition: number, message: string): void;
  stop(): Promise<void>;
}

/**
 * Three brokers of the protocol's reference client, in one process that waits for its input. They
 * list and describe no groups.
 */
export async function startKcat(): Promise<KafkaProgram> {
  const args = ['-P', '-b', 'x:1', '-t', 'orders', '-X', 'test.mock.num.brokers=3', '-d', 'mock'];
  const program = spawn('kcat', args, { stdio: ['pipe', 'ignore', 'pipe'] });
  const ended = once(program, 'exit');
  let brokers: string | undefined;
  for await (const line of createInterface({ input: program.stderr })) {
    brokers = /bootstrap\.servers=([\d.:,]+)/.exec(line)?.[1];
    if (brokers !== undefined) break;
  }
  program.stderr.resume();
  if (brokers === undefined) throw new Error('kcat named no brokers');
  return {
    brokers,
    write: (topic, partition, message) => {
      const to = ['-P', '-b', String(brokers), '-t', topic, '-p', String(partition)];
      const { status, stderr } = spawnSync('kcat', to, { input: message, encoding: 'utf8' });
      if (status !== 0) throw new Error(`kcat: ${stderr}`);
    },
    stop: async () => {
      program.kill('SIGKILL');
      await ended;
    },
  };
}
