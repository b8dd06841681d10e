import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import type { Json, JsonObject } from '../../lib/json.js';
import { redactSecretsDeep } from '../../lib/redact-secrets.js';
import type { RecordedGap } from '../../sources/recording/manifest.js';
import { withoutSelectors } from '../../sources/recording/without-selectors.js';

/** The content of incident.yaml of a captured bundle; times are ISO 8601. */
export interface CapturedIncident {
  title: string;
  message: string;
  start: string;
  now: string;
  /** The time that telemetry is compared with. */
  baseline?: { from: string; to: string };
  /** Telemetry that could not be read. */
  unread?: RecordedGap[];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Writes an incident bundle (docs/incidents.md). */
export class BundleWriter {
  private constructor(readonly folder: string) {}

  /**
   * Checks that a bundle can be written there. The folder is created by the first write, so that a
   * refused capture leaves none.
   * @throws if the folder name is not valid for a bundle, or if the folder has content or cannot be
   *   created
   */
  static async open(path: string): Promise<BundleWriter> {
    const folder = resolve(path);
    if (!NAME.test(basename(folder)))
      throw new Error(`${path}: the name of a bundle has letters, digits, . _ and - only.`);
    const held = await readdir(folder).catch(() => []);
    if (held.length > 0) throw new Error(`${path} is not empty: a capture needs a new folder.`);
    const made = await mkdir(folder, { recursive: true });
    if (made !== undefined) await rm(made, { recursive: true });
    return new BundleWriter(folder);
  }

  async incident(incident: CapturedIncident): Promise<void> {
    const id = basename(this.folder);
    // Of live logs, a part is read.
    const coverage = { logs: 'partial' };
    const said = redactSecretsDeep({ ...incident });
    await this.yaml('incident.yaml', { schema: 'consilium/incident@1', id, ...said, coverage });
  }

  /** Removes the files of a capture that failed. */
  async discard(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** @param topology as the service shows it */
  async topology(topology: JsonObject): Promise<void> {
    const { version: _, createdAt: __, updatedAt: ___, derived: ____, sources, ...own } = topology;
    const { globalSupervisor: _g, teams: _t, ...bare } = own;
    // The recording provides other telemetry than the live sources, so tools are derived again.
    const isLive = Array.isArray(sources) && sources.length > 0;
    await this.yaml('topology.yaml', asRecorded(redactSecretsDeep(isLive ? bare : own), sources));
  }

  /**
   * @param path in the bundle, such as `recordings/probes.ndjson`
   * @param values redacted by the caller, who knows which texts are JSON themselves
   */
  async lines(path: string, values: readonly Json[]): Promise<void> {
    const target = join(this.folder, path);
    await mkdir(dirname(target), { recursive: true });
    const lines = values.map((value) => `${JSON.stringify(value)}\n`);
    await writeFile(target, lines.join(''));
  }

  private async yaml(name: string, value: JsonObject): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await writeFile(join(this.folder, name), stringify(value));
  }
}

/**
 * Nodes without selectors, and with endpoints that are accepted: one with a redacted credential is
 * refused, and a recording needs none.
 */
function asRecorded(topology: JsonObject, sources: Json | undefined): JsonObject {
  const isLive = Array.isArray(sources) && sources.length > 0;
  const nodes = Array.isArray(topology['nodes']) ? topology['nodes'] : [];
  return {
    ...topology,
    nodes: nodes.map((each) => {
      const { node, selected } = withoutSelectors(each as JsonObject, sources);
      // Tools must apply as they did in the run.
      const recorded = [...new Set(selected.flatMap(({ provides }): string[] => provides))];
      const cluster = selected.find(({ kind }) => kind === 'kubernetes')?.id;
      const attributes = {
        ...(node['attributes'] as JsonObject | undefined),
        ...(cluster !== undefined && { cluster }),
        recorded,
      };
      const rest: JsonObject = isLive ? { ...node, attributes } : node;
      const { endpoint } = rest;
      if (typeof endpoint !== 'string') return rest;
      // A report needs to know that there is a credential, but not its value.
      return { ...rest, endpoint: endpoint.replaceAll('***', 'redacted') };
    }),
  };
}
