import { getChunks, goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { appearance, shadowPlace } from './appearance.js'

interface ComparedText {
  readonly text: string
  /** Name of the text, for screen readers. */
  readonly label: string
}

export interface Comparison {
  readonly from: ComparedText
  readonly to: ComparedText
  readonly language: 'JSON' | 'XML'
  /** One below the other, for narrow screens. */
  readonly isNarrow: boolean
  /** Show lines that did not change, also far from changes. */
  readonly isWhole: boolean
}

/** Where the caret is. */
export interface ReachedChange {
  /** Number of the change, from 1. */
  readonly change: number
  /** Number of its line in the second text, from 1. */
  readonly line: number
}

export interface CompareView {
  /** Number of places that differ. */
  readonly changes: number
  /** Moves the caret to the next or previous change, after the last to the first, and the focus into the text. */
  goTo(which: 'next' | 'previous'): ReachedChange
  close(): void
}

/** Differences are exact up to this number of edits; beyond it they may be more than necessary. */
const diffConfig = { scanLimit: 5_000, timeout: 2_000 }
const collapsed = { margin: 3, minSize: 8 }

/** Removed and added lines with a sign beside them, so that they differ without colours too. */
const theme = EditorView.theme({
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--removed)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--added)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText, &.cm-merge-b .cm-deletedText': {
    background: 'var(--removed-word)',
  },
  '&.cm-merge-b .cm-changedText': { background: 'var(--added-word)' },
  '&.cm-merge-b .cm-deletedChunk .cm-deletedText': { background: 'var(--removed-word)' },
  '.cm-changeGutter': { width: '1.2em', paddingLeft: '0', textAlign: 'center', fontWeight: '700' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': {
    color: 'var(--text)',
    background: 'var(--removed-word)',
  },
  '&.cm-merge-b .cm-changedLineGutter': { color: 'var(--text)', background: 'var(--added-word)' },
  '&.cm-merge-a .cm-changedLineGutter::before, .cm-deletedLineGutter::before': { content: '"−"' },
  '&.cm-merge-b .cm-changedLineGutter::before': { content: '"+"' },
  // The signs of the package are not in every font.
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"↕"' },
})

/** Shows two texts, which can be read and not changed. */
export function openCompareView(host: HTMLElement, comparison: Comparison): CompareView {
  const { root, parent } = shadowPlace(host)
  const { from, to, language, isNarrow, isWhole } = comparison
  const collapseUnchanged = isWhole ? {} : { collapseUnchanged: collapsed }
  const extensions = ({ label }: ComparedText): readonly Extension[] => [
    ...appearance(language, label),
    theme,
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({ 'aria-readonly': 'true' }),
  ]
  if (isNarrow) {
    const options = {
      original: from.text,
      mergeControls: false,
      gutter: true,
      diffConfig,
      ...collapseUnchanged,
    }
    const view = new EditorView({
      doc: to.text,
      extensions: [...extensions(to), unifiedMergeView(options)],
      root,
      parent,
    })
    view.dom.style.maxHeight = '75vh'
    return viewOf(view, () => view.destroy())
  }
  const merge = new MergeView({
    a: { doc: from.text, extensions: [...extensions(from)] },
    b: { doc: to.text, extensions: [...extensions(to)] },
    root,
    parent,
    diffConfig,
    ...collapseUnchanged,
  })
  merge.dom.style.maxHeight = '75vh'
  return viewOf(merge.b, () => merge.destroy())
}

function viewOf(view: EditorView, close: () => void): CompareView {
  const goTo = { next: goToNextChunk, previous: goToPreviousChunk }
  return {
    changes: getChunks(view.state)?.chunks.length ?? 0,
    goTo(which) {
      goTo[which](view)
      view.focus()
      const { head } = view.state.selection.main
      // What the page says of a change moves the text: one at the edge of the window would be out of it.
      view.dispatch({ effects: EditorView.scrollIntoView(head, { y: 'center' }) })
      const chunks = getChunks(view.state)?.chunks ?? []
      // A removal at the end begins behind the last character.
      const change = chunks.filter(({ fromB }) => Math.min(fromB, view.state.doc.length) <= head).length
      return { change, line: view.state.doc.lineAt(head).number }
    },
    close,
  }
}
