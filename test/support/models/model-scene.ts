import { afterEach, beforeEach } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ServiceOptions } from '../../../src/service.js';
import type { Api } from '../api.js';
import { expectValid, type CheckedEvent } from '../streams/event-stream.js';
import type { Loopback } from '../loopback.js';
import { startProviderServer, type ProviderServer, type Reply } from './provider-server.js';
import { Scene } from '../scene.js';
import { healthy, httpTarget, type Behaviour } from '../processes/target.js';
import { topologyOf } from '../incidents/topology.js';

type Env = Record<string, string>;

/**
 * A scene whose agents use models of the test's own provider, and a folder for the files of the
 * service.
 */
export class ModelScene {
  scene!: Scene;
  server!: ProviderServer;
  folder!: string;

  async open(otherwise?: Reply): Promise<void> {
    this.scene = new Scene();
    this.server = await startProviderServer();
    if (otherwise) this.server.otherwise = otherwise;
    this.folder = mkdtempSync(join(tmpdir(), 'consilium-scene-'));
  }

  async close(): Promise<void> {
    // A reply may use the scene's Redis, so that is closed last.
    await this.scene.stopAll();
    await this.server.close();
    await this.scene.close();
    rmSync(this.folder, { recursive: true });
  }

  get targets(): Loopback {
    return this.scene.targets;
  }

  /** Starts the service in this process. */
  service(env: Env, options: ServiceOptions = {}): Promise<Api> {
    return this.scene.service(env, options);
  }

  /** Writes a file into the scene's folder. @returns its path */
  write(path: string, text: string): string {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /**
   * Environment of a service with models of this provider, with settings as in MODELS_FILE. Agents
   * use the first model.
   */
  models(settings: Record<string, object>): Env {
    const entries = Object.entries(settings).map(([name, more]) => {
      const entry = {
        name,
        provider: 'openai-compatible',
        model: `${name}-1`,
        baseUrl: this.server.url,
        ...more,
      };
      return `  - ${JSON.stringify(entry)}\n`;
    });
    const [first = ''] = Object.keys(settings);
    return { MODELS_FILE: this.write('models.yaml', `models:\n${entries.join('')}`), MODEL: first };
  }

  /** Environment of a service with a model that is named by its provider only. */
  hosted(provider: 'openai' | 'anthropic' = 'openai'): Env {
    const name = provider.toUpperCase();
    return {
      MODEL: `${provider}/some-model`,
      [`${name}_API_KEY`]: 'k',
      [`${name}_BASE_URL`]: this.server.url,
    };
  }

  /** A topology of one service, `shop`. */
  async shop(more: object = {}, behaviour: Behaviour = healthy) {
    return topologyOf({ shop: await httpTarget(this.targets, behaviour) }, more);
  }

  /** Diagnoses a topology and waits for the end. */
  async diagnose(api: Api, topology: { id: number }, limits: object = {}): Promise<CheckedEvent[]> {
    const run = await api.trigger(await api.store(topology), { limits });
    return expectValid((await run.end()).text);
  }
}

/**
 * Creates a new scene for each test of the file or block.
 * @param otherwise the provider's default reply
 */
export function modelScene(otherwise?: Reply): ModelScene {
  const scene = new ModelScene();
  beforeEach(() => scene.open(otherwise));
  afterEach(() => scene.close());
  return scene;
}
