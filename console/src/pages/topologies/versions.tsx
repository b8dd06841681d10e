import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/http.js';
import { versionsQuery } from '../../api/queries.js';
import type { Topology } from '../../api/types.js';
import { Ago } from '../../ui/ago.js';
import { ago } from '../../ui/format.js';
import { InlineError } from '../../ui/list-error.js';

interface VersionsProps {
  stored: Topology;
  /** An earlier version was chosen: it goes into the editor, and Save makes it the newest. */
  onPick: (topology: Topology) => void;
}

/** The version of a topology, and those before it that are still kept. */
export function Versions({ stored, onPick }: VersionsProps) {
  const query = useQuery(versionsQuery(stored.id));
  const [failed, setFailed] = useState<number>();
  const versions = query.data?.items ?? [];
  const pick = async (version: number): Promise<void> => {
    setFailed(undefined);
    try {
      onPick(await call<Topology>('GET', `topologies/${stored.id}?version=${version}`));
    } catch {
      setFailed(version);
    }
  };
  if (versions.length < 2)
    return (
      <>
        <span className="mute">
          version {stored.version}, changed <Ago time={stored.updatedAt} />
        </span>
        {query.isError && (
          <InlineError
            text="The earlier versions cannot be read."
            onRetry={() => void query.refetch()}
          />
        )}
      </>
    );
  return (
    <>
      <label className="field">
        <span className="sr">Load a version into the editor</span>
        <select value={stored.version} onChange={(event) => void pick(Number(event.target.value))}>
          {versions.map(({ version, updatedAt }) => (
            <option key={version} value={version}>
              version {version}, {ago(updatedAt)}
            </option>
          ))}
        </select>
      </label>
      {failed !== undefined && (
        <InlineError text={`Version ${failed} cannot be read.`} onRetry={() => void pick(failed)} />
      )}
    </>
  );
}
