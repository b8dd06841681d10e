import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, call } from '../../api/http.js';
import { useRefusal } from '../../api/session.js';
import type { Fault } from '../../api/types.js';
import { topologiesQuery } from '../../api/queries.js';
import { number } from '../../model/number.js';
import { count } from '../../model/number.js';
import { Icon } from '../../ui/icon.js';
import { LimitRow } from '../../ui/limits/limit-field.js';
import { useLimits } from '../../ui/limits/limits.js';
import { ListError } from '../../ui/list-error.js';
import { Skeleton } from '../../ui/skeleton.js';
import { Chosen } from './chosen.js';

const route = getRouteApi('/diagnose');

const LONGEST = 10_000;
const NEARLY = 9_000;

/** Starts a diagnosis: what is wrong, and with which topology. */
export function DiagnosePage() {
  const search = route.useSearch();
  const query = useQuery(topologiesQuery());
  const { data, isPending } = query;
  const [message, setMessage] = useState(search.message ?? '');
  const [topologyId, setTopologyId] = useState(search.topology ?? null);
  const fields = useLimits();
  const [nodes, setNodes] = useState(search.nodes ?? []);
  const [limits, setLimits] = useState<Record<string, string>>({});
  const [repair, setRepair] = useState(false);
  // The choice stays when the list is read again and has another one at its end.
  const last = data?.items.at(-1)?.id;
  if (topologyId === null && last !== undefined) setTopologyId(last);
  const { start, busy, refused } = useStart();
  const refusal = useRefusal('runs:start');
  const ready = topologyId !== null && message.trim() !== '' && !busy && refusal === undefined;
  const submit = (): void => {
    if (ready) start({ topologyId, userMessage: message, limits, nodes, repair });
  };
  const faultOf = (name: string): string | undefined =>
    refused?.faults.find(({ path }) => path === name || path === `limits.${name}`)?.message;
  return (
    <main className="pad narrow" id="main" tabIndex={-1}>
      <header className="pagehead">
        <h1>What is wrong?</h1>
      </header>
      <form
        className="startform"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div className="bigbox">
          <textarea
            autoFocus
            rows={3}
            maxLength={LONGEST}
            value={message}
            onChange={(event) => setMessage(event.target.value)}
            placeholder="Customers cannot pay since 02:40. Orders fail with an error at checkout."
            aria-label="What is wrong"
            aria-invalid={faultOf('userMessage') !== undefined}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
            }}
          />
          <div className="bigbox-foot">
            <span className="mute">
              {message.length > NEARLY
                ? `${number(LONGEST - message.length)} characters left`
                : (refusal ??
                  'Name symptoms, times, parts: it helps to send the right agents first.')}
            </span>
            <span className="grow" />
            <button className="btn btn-accent btn-big" disabled={!ready}>
              {busy ? <span className="spinner" /> : <Icon name="spark" size={15} />}
              Diagnose <kbd aria-hidden="true">Ctrl ↵</kbd>
            </button>
          </div>
        </div>
        {refused && <Refusal {...refused} />}
        <ListError query={query} />
        <fieldset className="choices">
          <legend className="h-small">Which topology</legend>
          {data?.items.map(({ id, name, description, nodeCount, teamCount, agentCount }) => (
            <label key={id} className={`choice${id === topologyId ? ' is-on' : ''}`}>
              <input
                type="radio"
                name="topology"
                checked={id === topologyId}
                onChange={() => {
                  setTopologyId(id);
                  setNodes([]);
                }}
              />
              <b>{name}</b>
              {description && <span className="mute choice-about">{description}</span>}
              <span className="mute">
                {count(nodeCount, 'node')}, {count(teamCount, 'team')}, {count(agentCount, 'agent')}
              </span>
            </label>
          ))}
          {isPending && <Skeleton />}
          {data?.items.length === 0 && <p className="mute">There is no topology yet.</p>}
        </fieldset>
        {nodes.length > 0 && <OnlyNodes nodes={nodes} onChange={setNodes} />}
        {topologyId !== null && <Chosen topologyId={topologyId} />}
        <label className={`choice choice-check${repair ? ' is-on' : ''}`}>
          <input
            type="checkbox"
            checked={repair}
            onChange={(event) => setRepair(event.target.checked)}
          />
          <b>May ask for repairs</b>
          <span className="mute">Each one waits for the approval of an operator</span>
        </label>
        <details className="disc">
          <summary>
            <Icon name="right" size={12} /> Limits of this run
          </summary>
          <div className="limits panel">
            {fields.map((limit) => (
              <LimitRow
                key={limit.name}
                limit={limit}
                value={limits[limit.name] ?? ''}
                placeholder={String(limit.diagnosis)}
                help={limit.help}
                fault={faultOf(limit.name)}
                onChange={(value) => setLimits((old) => ({ ...old, [limit.name]: value }))}
              />
            ))}
          </div>
        </details>
      </form>
    </main>
  );
}

/** The part of the topology that is looked at; each node may be left out. */
function OnlyNodes({ nodes, onChange }: { nodes: string[]; onChange: (nodes: string[]) => void }) {
  return (
    <div className="banner" role="group" aria-label="Nodes to look at">
      <Icon name="topology" size={14} />
      <p>
        Only {count(nodes.length, 'node')}:{' '}
        {nodes.map((id) => (
          <button
            key={id}
            type="button"
            className="chip"
            onClick={() => onChange(nodes.filter((other) => other !== id))}
          >
            {id} <Icon name="x" size={11} />
            <span className="sr">(leave out)</span>
          </button>
        ))}{' '}
        <button type="button" className="btn btn-small" onClick={() => onChange([])}>
          Look at all nodes
        </button>
      </p>
    </div>
  );
}

function Refusal({ message, faults }: { message: string; faults: readonly Fault[] }) {
  return (
    <div className="banner banner-bad" role="alert">
      <Icon name="x" size={14} />
      <div>
        <p>
          <b>{message}</b>
        </p>
        {faults.map(({ path, message: what }) => (
          <p key={path}>
            <code>{path}</code> {what}
          </p>
        ))}
      </div>
    </div>
  );
}

interface Wanted {
  topologyId: number;
  userMessage: string;
  limits: Record<string, string>;
  nodes: string[];
  repair: boolean;
}

/** Starts a run and opens it. One key an attempt: what is sent twice by accident is one run. */
function useStart() {
  const navigate = useNavigate();
  const [key, setKey] = useState(() => crypto.randomUUID());
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<{ message: string; faults: readonly Fault[] } | null>(
    null,
  );
  const start = async ({ limits, nodes, repair, ...asked }: Wanted): Promise<void> => {
    setBusy(true);
    setRefused(null);
    const wanted = Object.entries(limits).filter(([, value]) => value !== '');
    const body = {
      ...asked,
      ...(repair && { repair }),
      ...(nodes.length > 0 && { nodes }),
      ...(wanted.length > 0 && {
        limits: Object.fromEntries(wanted.map(([name, value]) => [name, Number(value)])),
      }),
    };
    try {
      const headers = { 'idempotency-key': key };
      const { runId } = await call<{ runId: string }>('POST', 'executions/trigger', {
        body,
        headers,
      });
      await navigate({ to: '/runs/$runId', params: { runId } });
    } catch (error) {
      const faults = error instanceof ApiError ? error.faults : [];
      setRefused({ message: (error as Error).message, faults });
      setKey(crypto.randomUUID());
      setBusy(false);
    }
  };
  return {
    busy,
    refused,
    start: (wanted: Wanted) => void start(wanted),
  };
}
