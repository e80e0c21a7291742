import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import { lintKeymap, setDiagnostics } from '@codemirror/lint'
import { EditorState, Prec } from '@codemirror/state'
import { drawSelection, EditorView, keymap } from '@codemirror/view'
import type { Finding } from '../api/interface-types.js'
import { appearance, shadowPlace } from './appearance.js'
import { type CompletionOptions, completion } from './completion.js'
import type { PlacedFinding } from './placed-findings.js'

export interface EditorOptions {
  readonly text: string
  readonly language: 'JSON' | 'XML'
  /** Name of the text, for screen readers. */
  readonly label: string
  /** How one leaves a text that can be edited, for screen readers: Tab indents there. */
  readonly description: string
  readonly caret: number
  readonly isReadOnly: boolean
  /** Undefined: nothing is completed. */
  readonly completion?: CompletionOptions | undefined
  /** Is called after each change. */
  onChange(): void
  /** Ctrl+S */
  onStore(): void
  /** Ctrl+Enter */
  onCheck(): void
}

export interface TextEditor {
  text(): string
  caret(): number
  /**
   * Marks the places of findings. In a text, F8 goes to the next one.
   * @returns the findings in the order in which they are shown
   */
  mark(findings: readonly PlacedFinding[]): readonly PlacedFinding[]
  /** Moves the caret and the focus there. @param finding that is shown at the place: a form has a field for it */
  goTo(place: number, finding?: Finding): void
  /** Replaces the whole text, as a change that can be undone. */
  replace(text: string): void
  close(): void
}

/** Opens an editor. Ends of lines stay as they are in the text. */
export function openTextEditor(host: HTMLElement, options: EditorOptions): TextEditor {
  const { root, parent } = shadowPlace(host)
  const run = (action: () => void) => () => {
    action()
    return true
  }
  // An element of the page outside of the shadow root could not describe the text.
  const description = document.createElement('p')
  description.id = 'description'
  description.hidden = true
  description.textContent = options.description
  root.append(description)
  const view = new EditorView({
    root,
    parent,
    state: EditorState.create({
      doc: options.text,
      selection: { anchor: Math.min(options.caret, options.text.length) },
      extensions: [
        ...appearance(options.language, options.label),
        // Otherwise every kind of line break would become that of the first one.
        EditorState.lineSeparator.of('\n'),
        EditorState.readOnly.of(options.isReadOnly),
        options.isReadOnly ? [] : EditorView.contentAttributes.of({ 'aria-describedby': description.id }),
        EditorView.theme({ '.cm-content': { minHeight: '10rem' } }),
        history(),
        drawSelection(),
        bracketMatching(),
        indentOnInput(),
        indentUnit.of('  '),
        options.completion && !options.isReadOnly ? completion(options.completion) : [],
        Prec.highest(
          keymap.of([
            { key: 'Mod-s', run: run(options.onStore), preventDefault: true },
            { key: 'Mod-Enter', run: run(options.onCheck), preventDefault: true },
          ]),
        ),
        keymap.of([...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
        EditorView.updateListener.of(update => {
          if (update.docChanged) options.onChange()
        }),
      ],
    }),
  })
  view.dom.style.maxHeight = '70vh'
  return {
    text: () => view.state.doc.toString(),
    caret: () => view.state.selection.main.head,
    mark(findings) {
      const length = view.state.doc.length
      const diagnostics = findings.map(({ finding, from, to }) => ({
        from: Math.min(from, length),
        to: Math.min(to, length),
        severity: 'error' as const,
        message: finding.message,
      }))
      view.dispatch(setDiagnostics(view.state, diagnostics))
      return findings
    },
    goTo(place) {
      const anchor = Math.min(place, view.state.doc.length)
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
      view.focus()
    },
    replace: text => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    close: () => view.destroy(),
  }
}
