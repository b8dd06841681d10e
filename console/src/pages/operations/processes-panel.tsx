import type { ServiceStatus } from '../../api/types.js';
import { number } from '../../model/number.js';
import { ago, bytes, percent } from '../../ui/format.js';
import { Seen } from './seen.js';

interface ProcessesPanelProps {
  status: ServiceStatus | undefined;
  /** When it was read, if it is old. */
  since: number | null;
}

/** The processes of the service, oldest first. */
export function ProcessesPanel({ status, since }: ProcessesPanelProps) {
  return (
    <>
      <h2 className="h-small">
        Processes <Seen since={since} />
      </h2>
      <div className="panel tablewrap" tabIndex={0} role="region" aria-label="Processes">
        <table className="table">
          <thead>
            <tr>
              <th>Process</th>
              <th>Role</th>
              <th>Version</th>
              <th className="r">Started</th>
              <th className="r">Processor</th>
              <th className="r">Memory</th>
              <th className="r">Streams</th>
              <th className="r">Slots</th>
            </tr>
          </thead>
          <tbody>
            {status?.processes.map((process) => (
              <tr key={process.id}>
                <th scope="row">
                  <code>{process.id}</code>
                </th>
                <td>{process.role}</td>
                <td className="mute">{process.version}</td>
                <td className="r mute" title={process.startedAt}>
                  {ago(process.startedAt, Date.parse(status.now))}
                </td>
                <td className="r">{percent(process.cpu)}</td>
                <td className="r">{bytes(process.memoryBytes)}</td>
                <td className="r">{number(process.followers)}</td>
                <td className="r">
                  {number(Object.values(process.slots).reduce((sum, slots) => sum + slots, 0))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
