import { Logger } from '@nestjs/common';
import type { Fault } from '../domain/errors.js';
import { DEFAULT_TENANT } from '../domain/tenant.js';
import type { Topology } from '../domain/topology/topology.js';
import type { Topologies } from './topologies.js';
import { codeOf, readTopologyFiles, topologyFileNames } from './topology-files.js';
import type { TopologyStore } from './topology-store.js';

/**
 * Loads the topologies of a directory when the service starts. An invalid file is logged with every
 * fault, and the service starts with the others.
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
    const ids: number[] = [];
    const parse = (value: unknown) => this.topologies.parse(value);
    const names = await this.fileNames();
    for await (const file of readTopologyFiles(this.directory, names, parse)) {
      if ('faults' in file) this.refuse(file.name, file.faults);
      else {
        ids.push(file.topology.id);
        await this.put(file.name, file.topology, file.hash);
      }
    }
    return ids;
  }

  private async fileNames(): Promise<string[]> {
    try {
      return await topologyFileNames(this.directory);
    } catch (error) {
      this.logger.warn(
        `No topologies loaded: cannot read TOPOLOGIES_DIR ${this.directory} (${codeOf(error)})`,
      );
      return [];
    }
  }

  private async put(name: string, topology: Topology, hash: string): Promise<void> {
    for (const { path, message } of await this.topologies.warnings(DEFAULT_TENANT, topology))
      this.logger.warn(`${name}: ${path}: ${message}`);
    const loaded = await this.store.load(topology, hash);
    if (loaded.outcome === 'written')
      this.logger.log(`${name}: loaded topology ${topology.id}, version ${loaded.version}`);
    if (loaded.outcome === 'deleted')
      this.logger.log(
        `${name}: topology ${topology.id} was deleted; change the file to load it again`,
      );
  }

  private refuse(name: string, faults: readonly Fault[]): void {
    const lines = faults.map(
      ({ path, message }) => `\n  ${path === '' ? '(file)' : path}: ${message}`,
    );
    this.logger.error(`${name}: refused; the other topologies are loaded${lines.join('')}`);
  }
}
