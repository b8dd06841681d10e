/** Every key of the stored topologies, spelled once. They share a hash tag, so that one script may touch them all in a cluster. */
export function topologyKeys(prefix: string) {
  const topologies = `${prefix}:{topologies}`;
  return {
    /** Hash of one topology: `topology` and `card` (JSON), `version`, `createdAt` and `updatedAt` (ms), `owner`, `edited`, `write`. */
    record: (id: number) => `${topologies}:${id}`,
    /** Sorted set: id by id, for paging. */
    index: `${topologies}:index`,
    /** Hash: id → last version given. Outlives the topology, so that no version is ever given twice. */
    versions: `${topologies}:versions`,
    /** Hash: id → hash of the file last loaded for it. Outlives the topology too: what was deleted is not brought back by an unchanged file. */
    files: `${topologies}:files`,
  };
}

export type TopologyKeys = ReturnType<typeof topologyKeys>;
