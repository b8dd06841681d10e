import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import type { Topology } from '../domain/topology/topology.js';
import { FOLDERS, isBundle, openBundle } from './recording/bundle.js';
import { recordedSources } from './recording/recorded-sources.js';
import type { SourceSet } from './source-set.js';

/** Source sets that are held open; each is small, the records stay on disk. */
const MOST_OPEN = 16;

/** Opens the sources that topologies name, and makes topologies of incident bundles. */
@Injectable()
export class Sources {
  private readonly open = new Map<string, Promise<SourceSet>>();

  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'incidentsDir'>) {}

  /**
   * The sources of a topology; undefined where it names none.
   * @throws ConsiliumError NOT_FOUND, VALIDATION_FAILED where its bundle cannot be opened
   */
  async of({ sources, nodes }: Topology): Promise<SourceSet | undefined> {
    const recording = sources?.find(({ kind }) => kind === 'recording');
    if (recording === undefined) return undefined;
    const key = JSON.stringify([
      recording.incident,
      nodes.map(({ id, name, attributes }) => [id, name, attributes['telemetry']]),
    ]);
    const known = this.open.get(key);
    if (known !== undefined) return known;
    const opening = this.folderOf(recording.incident)
      .then(openBundle)
      .then((bundle) => recordedSources(bundle, nodes));
    this.open.set(key, opening);
    opening.catch(() => this.open.delete(key));
    const [oldest] = this.open.keys();
    if (this.open.size > MOST_OPEN && oldest !== undefined) this.open.delete(oldest);
    return opening;
  }

  /**
   * A topology as a client would write it, from the bundle of that name.
   * @throws ConsiliumError NOT_FOUND, VALIDATION_FAILED
   */
  async topologyOf(incident: string): Promise<object> {
    const bundle = await openBundle(await this.folderOf(incident));
    const provides = [...FOLDERS, 'probes' as const].filter(
      (folder) => bundle.files[folder] !== undefined,
    );
    const { title } = bundle.manifest;
    const given = typeof bundle.topology === 'object' ? bundle.topology : {};
    return {
      ...given,
      ...(title !== undefined && { description: title }),
      sources: [{ id: 'recording', kind: 'recording', incident, provides }],
    };
  }

  private async folderOf(incident: string): Promise<string> {
    const { incidentsDir } = this.config;
    // A name, and no path: the bundle lies in the mounted folder.
    const named = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(incident);
    const folder = join(incidentsDir ?? '', incident);
    if (incidentsDir === undefined || !named || !(await isBundle(folder)))
      throw new ConsiliumError(
        'NOT_FOUND',
        incidentsDir === undefined
          ? 'No incident bundles are mounted: INCIDENTS_DIR is not set.'
          : `There is no incident bundle "${incident.slice(0, 100)}" in INCIDENTS_DIR.`,
      );
    return folder;
  }
}
