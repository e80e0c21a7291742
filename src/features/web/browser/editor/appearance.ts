import { json } from '@codemirror/lang-json'
import { xml } from '@codemirror/lang-xml'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/*
 * The look of texts, with the tokens of all pages. Custom properties reach into shadow roots, style sheets do not.
 */

/** Colours with enough contrast on the background of pages, light and dark. */
const highlighting = HighlightStyle.define([
  { tag: [tags.propertyName, tags.tagName], color: 'var(--link)' },
  { tag: [tags.number, tags.bool, tags.null, tags.attributeName], color: 'var(--warn)' },
  {
    tag: [tags.comment, tags.processingInstruction, tags.documentMeta],
    color: 'var(--dim)',
    fontStyle: 'italic',
  },
])

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--back)', fontSize: '.875rem' },
  '.cm-content, .cm-gutters': { fontFamily: 'ui-monospace, Consolas, monospace' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': {
    color: 'var(--dim)',
    backgroundColor: 'var(--soft)',
    borderRight: '1px solid var(--line)',
  },
  '&.cm-focused': { outline: '3px solid var(--link)', outlineOffset: '-3px' },
  '.cm-collapsedLines': { color: 'var(--text)', background: 'var(--soft)', padding: '.3rem .6rem' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--back)',
    border: '1px solid var(--line)',
  },
  // As exact as the rules of the editor, which it replaces.
  '&.cm-editor .cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--back)',
    backgroundColor: 'var(--link)',
  },
  '.cm-completionInfo': { overflowWrap: 'anywhere', maxHeight: '14em', overflowY: 'auto' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
})

/** What all views of texts share. @param label the name of the text, for screen readers */
export function appearance(language: 'JSON' | 'XML', label: string): readonly Extension[] {
  return [
    lineNumbers(),
    language === 'XML' ? xml() : json(),
    syntaxHighlighting(highlighting),
    theme,
    EditorView.darkTheme.of(matchMedia('(prefers-color-scheme: dark)').matches),
    EditorView.lineWrapping,
    // A scrolling text must be reachable by keyboard, which axe sees by `tabindex` only.
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    EditorState.tabSize.of(2),
  ]
}

/**
 * A place for an editor, in a shadow root: there the editor uses constructed style sheets, which the policy of the
 * page allows. In the page it would add style elements, which the policy refuses.
 */
export function shadowPlace(host: HTMLElement): { readonly root: ShadowRoot; readonly parent: HTMLElement } {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const parent = document.createElement('div')
  root.replaceChildren(parent)
  return { root, parent }
}
