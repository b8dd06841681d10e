import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Service, ServiceOptions } from '../../src/service.js';
import { Api } from './api.js';
import { builtFile } from './processes/built.js';
import { Loopback } from './loopback.js';
import { startService } from './parts.js';
import { testRedis } from './redis.js';
import { healthy, httpTarget } from './processes/target.js';
import { topologyOf } from './incidents/topology.js';

const ROOT = join(import.meta.dirname, '../..');
const END_WITH_PARENT = pathToFileURL(join(ROOT, 'scripts/lib/end-with-parent.mjs')).href;

type Env = Record<string, string>;

/** A process of the service, as `npm start` runs it. */
export interface ServiceProcess {
  api: Api;
  /** Sends a signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<void>;
  /**
   * What it has written to its standard output and standard error so far; all of it after its end.
   */
  output(): string;
}

/**
 * The parts of one test: a key prefix in Redis, services (in this process or in others), and
 * targets to diagnose.
 */
export class Scene {
  readonly redis = testRedis();
  readonly targets = new Loopback();
  private readonly services = new Map<Api, Service>();
  private readonly closers: (() => Promise<void>)[] = [];

  /** A scene with a service and a topology of one healthy node, `shop`. */
  static async ofShop(env: Env = {}): Promise<{ scene: Scene; api: Api; topologyId: number }> {
    const scene = new Scene();
    const api = await scene.service(env);
    return {
      scene,
      api,
      topologyId: await api.store(topologyOf({ shop: await httpTarget(scene.targets, healthy) })),
    };
  }

  /** Starts the service in this process. */
  async service(env: Env = {}, options: ServiceOptions = {}): Promise<Api> {
    const service = await startService(this.env(env), options);
    const api = new Api(service.url);
    this.services.set(api, service);
    return api;
  }

  /** Stops a service of this process. */
  async stop(api: Api): Promise<void> {
    const service = this.services.get(api);
    this.services.delete(api);
    await service?.close();
  }

  /** Starts the service in a separate process, which ends with this one. */
  async process(env: Env): Promise<ServiceProcess> {
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    const args = ['--import', END_WITH_PARENT, builtFile('src/main.ts')];
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...inherited, ...this.env(env) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    const stop = async (signal: NodeJS.Signals): Promise<void> => {
      child.kill(signal);
      await closed;
    };
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    this.closers.push(() => stop('SIGKILL'));
    return { api: new Api(await listening(child)), stop, output: () => output };
  }

  /** Stops all services and targets. */
  async stopAll(): Promise<void> {
    // Targets are closed first: a probe that waits for one would keep its worker from closing.
    await this.targets.close();
    await Promise.all([
      ...[...this.services.keys()].map((api) => this.stop(api)),
      ...this.closers.map((close) => close()),
    ]);
  }

  async close(): Promise<void> {
    await this.stopAll();
    await this.redis.close();
  }

  private env(env: Env): Env {
    return {
      PORT: '0',
      REDIS_URL: this.redis.url,
      REDIS_PREFIX: this.redis.prefix,
      TOPOLOGIES_DIR: join(ROOT, 'test/support'), // There are none.
      LOG_LEVEL: 'silent',
      SHUTDOWN_GRACE_SECONDS: '0',
      // All targets of a test are on one host.
      PROBES_PER_SECOND_PER_HOST: '1000',
      PROBE_CONNECTIONS_PER_HOST: '100',
      ...env,
    };
  }
}

/** The address on which a process says that it listens. */
async function listening(child: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      const url = /listens on (http:\S+?),/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', () => reject(new Error(`a service ended before it listened:\n${said}`)));
  });
}
