import { useRefusal } from '../../api/session.js';
import { count } from '../../model/number.js';
import { Glyph } from '../../ui/glyph.js';
import { Icon } from '../../ui/icon.js';
import type { TopologyDraft } from './use-topology-draft.js';
import { YamlEditor } from './yaml-editor.js';

/** What the list of faults begins with. */
function headOf({ value, message, faults }: TopologyDraft): string {
  if (value === undefined) return 'This is not a topology yet';
  return message ?? `The topology has ${count(faults.length, 'fault')}`;
}

/** The text of a topology with Save, Undo and its faults. */
export function EditorPanel({ draft, name }: { draft: TopologyDraft; name: string }) {
  const { text, value, faults, changed, saving, message, setText, undo, save } = draft;
  const refusal = useRefusal('topologies:write');
  const isSaved = message !== null && faults.length === 0 && !changed;
  return (
    <section className="panel panel-editor" aria-label="Editor">
      <div className="editor-bar">
        <Icon name="file" size={14} />
        <b>{name}</b>
        <span className="mute">YAML</span>
        <span className="grow" />
        {faults.length > 0 && (
          <span className="facts bad">
            <Glyph state="critical" size={12} />
            {count(faults.length, 'fault')}
          </span>
        )}
        <span className="facts" role="status">
          {isSaved && (
            <>
              <Glyph state="ok" size={12} />
              {message}
            </>
          )}
        </span>
        {changed && <span className="mute">{refusal}</span>}
        <button className="btn btn-small" disabled={!changed} onClick={undo}>
          Undo
        </button>
        <button
          className="btn btn-small btn-accent"
          disabled={!changed || saving || value === undefined || refusal !== undefined}
          title={refusal}
          onClick={save}
        >
          {saving && <span className="spinner" />}
          Save
        </button>
      </div>
      <YamlEditor text={text} faults={faults} onChange={setText} />
      <div className="faultlist" aria-live="polite" tabIndex={faults.length > 0 ? 0 : -1}>
        {(faults.length > 0 || (message !== null && !isSaved && changed)) && (
          <>
            <p className="facts bad">
              <Glyph state="critical" size={13} />
              <b>{headOf(draft)}</b>
            </p>
            <ul>
              {faults.map(({ line, path, message: what }) => (
                <li key={`${line} ${path} ${what}`}>
                  <span className="mute">line {line}</span> <code>{path}</code> {what}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  );
}
