import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { SentTexts } from '../../ui/use-typed-text.js';
import { editorTheme } from './editor-theme.js';
import { faultMarks, setFaults } from './fault-marks.js';
import type { PlacedFault } from './topology-text.js';

interface YamlEditorProps {
  text: string;
  faults: readonly PlacedFault[];
  onChange: (text: string) => void;
}

/**
 * Replaces a selection by what is typed. Chromium would keep the looks of the replaced text in an
 * inline style, which the content security policy forbids.
 */
const replacesSelection = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data }, view) => {
    const { state } = view;
    if (inputType !== 'insertText' || data === null || state.selection.main.empty) return false;
    view.dispatch(state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

/**
 * A text editor for YAML. It lives in a shadow root, where its styles need no style element: the
 * content security policy forbids these.
 */
export function YamlEditor({ text, faults, onChange }: YamlEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const change = useRef(onChange);
  const sent = useRef(new SentTexts());
  useEffect(() => {
    change.current = onChange;
  });
  useEffect(() => {
    const host = place.current;
    if (!host) return;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          yaml(),
          editorTheme,
          faultMarks,
          replacesSelection,
          EditorView.contentAttributes.of({ 'aria-label': 'Topology as YAML', tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            const written = update.state.doc.toString();
            sent.current.add(written);
            change.current(written);
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
      view.current = null;
    };
  }, []);
  useEffect(() => {
    const editor = view.current;
    // A text that was written here is late, if the editor has another one by now.
    if (!editor || sent.current.takes(text) || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    view.current?.dispatch({ effects: setFaults.of(faults) });
  }, [faults]);
  return <div className="editor" ref={place} />;
}
