import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '12px', color: 'var(--t1)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--t3)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in oklab, var(--raise), transparent 50%)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--t1)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft) !important',
  },
  '.cm-fault-line': { backgroundColor: 'color-mix(in oklab, var(--crit), transparent 88%)' },
  '.cm-fault': {
    // At the right edge of what is seen, however long the line is.
    position: 'sticky',
    right: '8px',
    display: 'inline-block',
    verticalAlign: 'top',
    maxWidth: '380px',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    marginLeft: '16px',
    padding: '1px 8px',
    borderRadius: '5px',
    border: '1px solid var(--crit-line)',
    backgroundColor: 'var(--crit-soft)',
    color: 'var(--crit)',
    font: '550 11px/16px var(--font)',
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--t3)', fontStyle: 'italic' },
]);

export const editorTheme = [look, syntaxHighlighting(colours)];
