import { createHash } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { VARIABLES } from '../config/variables.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import { DEFAULT_TENANT } from '../domain/tenant.js';
import type { Topologies } from './topologies.js';
import type { TopologyStore } from './topology-store.js';
import { parseTopologyText } from './topology-text.js';

const MAX_BYTES = 1_048_576;
/** The folder of a clone. An installed package has none. */
const STANDARD = VARIABLES.find(({ name }) => name === 'TOPOLOGIES_DIR')?.default;

/**
 * Loads the topologies of a directory (`*.yaml`, `*.yml`, `*.json`, not of its subfolders) when the
 * service starts. An invalid file is logged with every fault, and the service starts with the
 * others.
 */
export class TopologyLoader {
  private readonly logger = new Logger(TopologyLoader.name);

  constructor(
    private readonly topologies: Pick<Topologies, 'parse' | 'warnings'>,
    private readonly store: TopologyStore,
    private readonly directory: string,
  ) {}

  /** Completes before the first request is served. */
  async onModuleInit(): Promise<void> {
    await this.load();
  }

  /** @returns the ids of the topologies in the files; rejects only if Redis fails */
  async load(): Promise<number[]> {
    const files = new Map<number, string>();
    for (const name of await this.fileNames()) {
      const file = await this.read(name);
      if (file === undefined) continue;
      const { topology, hash } = file;
      const other = files.get(topology.id);
      if (other !== undefined) {
        this.refuse(name, [
          { path: 'id', message: `${topology.id} is already the id of the topology in ${other}` },
        ]);
        continue;
      }
      files.set(topology.id, name);
      const loaded = await this.store.load(topology, hash);
      if (loaded.outcome === 'written')
        this.logger.log(`${name}: loaded topology ${topology.id}, version ${loaded.version}`);
      if (loaded.outcome === 'deleted')
        this.logger.log(
          `${name}: topology ${topology.id} was deleted; change the file to load it again`,
        );
    }
    return [...files.keys()];
  }

  /** Sorted, so that every process reads them in the same order. */
  private async fileNames(): Promise<string[]> {
    try {
      return (await readdir(this.directory))
        .filter((name) => /\.(?:ya?ml|json)$/.test(name))
        .sort();
    } catch (error) {
      if (this.directory === STANDARD && codeOf(error) === 'ENOENT') return [];
      this.logger.warn(
        `No topologies loaded: cannot read TOPOLOGIES_DIR ${this.directory} (${codeOf(error)})`,
      );
      return [];
    }
  }

  private async read(name: string) {
    let text: string;
    try {
      text = await readBounded(join(this.directory, name));
    } catch (error) {
      this.refuse(name, [{ path: '', message: `cannot be read: ${codeOf(error)}` }]);
      return undefined;
    }
    const parsed = parseTopologyText(text, name);
    if ('faults' in parsed) {
      this.refuse(name, parsed.faults);
      return undefined;
    }
    try {
      const topology = await this.topologies.parse(parsed.value);
      for (const { path, message } of await this.topologies.warnings(DEFAULT_TENANT, topology))
        this.logger.warn(`${name}: ${path}: ${message}`);
      return { topology, hash: createHash('sha256').update(text).digest('hex') };
    } catch (error) {
      if (!(error instanceof ConsiliumError)) throw error;
      this.refuse(name, error.options.faults ?? []);
      return undefined;
    }
  }

  private refuse(name: string, faults: readonly Fault[]): void {
    const lines = faults.map(
      ({ path, message }) => `\n  ${path === '' ? '(file)' : path}: ${message}`,
    );
    this.logger.error(`${name}: refused; the other topologies are loaded${lines.join('')}`);
  }
}

/** @throws Error if it is not a readable file, or larger than {@link MAX_BYTES} */
async function readBounded(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > MAX_BYTES) throw new Error(`${size} bytes, more than ${MAX_BYTES}`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

const codeOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));
