import { useQuery } from '@tanstack/react-query';
import { modelsQuery, toolsQuery } from '../../api/queries.js';
import type { ModelStatus } from '../../api/types.js';
import { Disclosure } from '../../ui/disclosure.js';
import { clock, shortNumber } from '../../ui/format.js';
import { Glyph } from '../../ui/glyph.js';
import { Icon } from '../../ui/icon.js';
import { Seen } from './seen.js';

/** Whether calls of a model go through, in words. */
function Breaker({ state, isOld }: { state: ModelStatus | undefined; isOld: boolean }) {
  if (!state) return <>–</>;
  const { breaker, heldUntil, calls, waiting } = state;
  if (breaker.state !== 'closed')
    return (
      <span className="facts bad">
        <Glyph state="failed" size={12} />
        {breaker.until ? `refused until ${clock(breaker.until)}` : 'being tried again'}
      </span>
    );
  if (heldUntil !== null)
    return (
      <span className="facts">
        <Glyph state="warning" size={12} />
        paused until {clock(heldUntil)}, {waiting} waiting
      </span>
    );
  return (
    <span className="facts">
      <Glyph state={isOld ? 'unknown' : 'ok'} size={12} />
      {waiting > 0 ? `${calls} calls, ${waiting} waiting` : `${calls} calls`}
    </span>
  );
}

interface ModelsPanelProps {
  states: readonly ModelStatus[];
  /** When `states` were read, if they are old. */
  since: number | null;
}

/** The language models, with how they stand, their windows, prices and fallbacks. */
export function ModelsPanel({ states, since }: ModelsPanelProps) {
  const models = useQuery(modelsQuery()).data?.items ?? [];
  return (
    <section>
      <h2 className="h-small">
        Models <Seen since={since} />
      </h2>
      <div className="panel tablewrap" tabIndex={0} role="region" aria-label="Models">
        <table className="table">
          <thead>
            <tr>
              <th>Name</th>
              <th>Model</th>
              <th>Now</th>
              <th className="r">Window</th>
              <th className="r">In / out per million</th>
              <th className="r">At once</th>
              <th>Then</th>
            </tr>
          </thead>
          <tbody>
            {models.map((model) => (
              <tr key={model.name}>
                <th scope="row">
                  {model.name}
                  {model.default && <span className="tag tag-quiet">default</span>}
                </th>
                <td className="mute">{model.model ?? 'built in'}</td>
                <td>
                  <Breaker
                    state={states.find(({ name }) => name === model.name)}
                    isOld={since !== null}
                  />
                </td>
                <td className="r">
                  {model.contextWindow ? shortNumber(model.contextWindow) : '–'}
                </td>
                <td className="r">
                  {model.prices ? `${model.prices.input} / ${model.prices.output}` : '–'}
                </td>
                <td className="r">{model.concurrency ?? '–'}</td>
                <td className="mute">{model.fallback?.join(' → ') || '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface StorePanelProps {
  /** Undefined: that is not known. */
  redis: 'up' | 'down' | undefined;
  warnings: readonly string[];
}

const STORE_GLYPHS = { up: 'ok', down: 'failed' } as const;

/** The store and its warnings. */
export function StorePanel({ redis, warnings }: StorePanelProps) {
  return (
    <section aria-label="Store">
      <h2 className="h-small">Store</h2>
      <div className="panel pad-in">
        <p className="facts">
          <Glyph state={redis === undefined ? 'unknown' : STORE_GLYPHS[redis]} />
          <b>Redis</b>
          <span>{redis ?? 'not known'}</span>
        </p>
        {warnings.map((warning) => (
          <div key={warning} className="sys sys-limit">
            <Icon name="warn" size={15} />
            <p>{warning}</p>
          </div>
        ))}
        <p className="mute">Logs, queues and topologies live there.</p>
      </div>
    </section>
  );
}

/** What agents may use. */
export function ToolsPanel() {
  const tools = useQuery(toolsQuery()).data?.items ?? [];
  return (
    <section>
      <h2 className="h-small">Tools</h2>
      <div className="panel pad-in toolist">
        {tools.map(({ name, access, description }) => (
          <Disclosure key={name} title={<code>{name}</code>} count={access}>
            <p>{description}</p>
          </Disclosure>
        ))}
      </div>
    </section>
  );
}
