import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/http.js';
import { versionsQuery } from '../../api/queries.js';
import type { Topology } from '../../api/types.js';
import { ago } from '../../ui/format.js';

interface VersionsProps {
  stored: Topology;
  /** An earlier version was chosen: it goes into the editor, and Save makes it the newest. */
  onPick: (topology: Topology) => void;
}

/** The version of a topology, and those before it that are still kept. */
export function Versions({ stored, onPick }: VersionsProps) {
  const versions = useQuery(versionsQuery(stored.id)).data?.items ?? [];
  const said = `version ${stored.version}, changed ${ago(stored.updatedAt)}`;
  if (versions.length < 2) return <span className="mute">{said}</span>;
  const pick = async (version: number): Promise<void> =>
    onPick(await call<Topology>('GET', `topologies/${stored.id}?version=${version}`));
  return (
    <label className="field">
      <span className="sr">Load a version into the editor</span>
      <select
        value={stored.version}
        onChange={(event) => void pick(Number(event.target.value)).catch(() => undefined)}
      >
        {versions.map(({ version, updatedAt }) => (
          <option key={version} value={version}>
            version {version}, {ago(updatedAt)}
          </option>
        ))}
      </select>
    </label>
  );
}
