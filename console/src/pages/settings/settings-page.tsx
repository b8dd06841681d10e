import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call } from '../../api/http.js';
import { limitsQuery } from '../../api/queries.js';
import { number } from '../../model/number.js';
import { Glyph } from '../../ui/glyph.js';
import { LimitRow } from '../../ui/limits/limit-field.js';
import { useLimits } from '../../ui/limits/limits.js';
import { Catalogue } from './catalogue.js';

const PATH = '/api/settings/agent-config';

/** The caller's limits; rules, subscribers and behaviours to read. */
export function SettingsPage() {
  return (
    <main className="pad" id="main" tabIndex={-1}>
      <header className="pagehead">
        <h1>Settings</h1>
      </header>
      <div className="cols2">
        <Limits />
        <Catalogue />
      </div>
    </main>
  );
}

function Limits() {
  const queries = useQueryClient();
  const fields = useLimits();
  const { data: limits } = useQuery(limitsQuery());
  const [draft, setDraft] = useState<Record<string, string>>({});
  const [error, setError] = useState<Error | null>(null);
  const [saved, setSaved] = useState(false);
  const store = async (
    method: string,
    path: string,
    sent: Record<string, string>,
    body?: unknown,
  ): Promise<void> => {
    setError(null);
    setSaved(false);
    try {
      const stored = await call<Record<string, number>>(method, path, { body });
      queries.setQueryData(limitsQuery().queryKey, stored);
      // What was typed meanwhile stays.
      setDraft((now) =>
        Object.fromEntries(Object.entries(now).filter(([name, value]) => sent[name] !== value)),
      );
      setSaved(true);
    } catch (refused) {
      setError(refused as Error);
    }
  };
  const save = (): void => {
    const changed = Object.entries(draft).filter(([, value]) => value !== '');
    const body = Object.fromEntries(changed.map(([name, value]) => [name, Number(value)]));
    void store('PUT', PATH, draft, body);
  };
  const faults = error instanceof ApiError ? error.faults : [];
  return (
    <section>
      <h2 className="h-small">Limits of your questions to the oracle</h2>
      <form
        className="panel limits"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {fields.map((limit) => {
          const { name, snake, min, max, chat } = limit;
          const now = limits?.[snake];
          const standard =
            now === undefined || now === chat ? '' : `; the default is ${number(chat)}`;
          return (
            <LimitRow
              key={name}
              limit={limit}
              value={draft[snake] ?? (now === undefined ? '' : String(now))}
              placeholder={String(chat)}
              help={`${number(min)} to ${number(max)}${standard}`}
              fault={faults.find(({ path }) => path === snake)?.message}
              onChange={(value) => setDraft((old) => ({ ...old, [snake]: value }))}
            />
          );
        })}
        <div className="formfoot">
          <button className="btn btn-accent" disabled={Object.keys(draft).length === 0}>
            Save
          </button>
          <button
            type="button"
            className="btn"
            onClick={() => void store('POST', `${PATH}/reset`, draft)}
          >
            Back to the defaults
          </button>
          <span className="facts" role="status">
            {saved && (
              <>
                <Glyph state="ok" /> Saved
              </>
            )}
          </span>
          {error && faults.length === 0 && (
            <span className="fault" role="alert">
              {error.message}
            </span>
          )}
        </div>
      </form>
    </section>
  );
}
