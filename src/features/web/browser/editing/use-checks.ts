import { useEffect, useRef, useState } from 'preact/hooks'
import type { Finding } from '../api/interface-types.js'
import { validateDocument } from '../api/records.js'
import { type PlacedFinding, placeFindings } from '../editor/placed-findings.js'
import type { TextEditor } from '../editor/text-editor.js'
import { useIsConnected } from '../failures/connection.js'
import { noteFocus } from '../parts/page-frame.js'
import type { EditedDocument } from './store-content.js'

/** Milliseconds without a key until the server is asked. A tag takes longer to write than a value. */
const pauses = { JSON: 400, XML: 800 }

/** What the server says about the text. Only the server calls a text valid. */
export type Verdict =
  | { readonly kind: 'none' }
  /** `isAsked`: a person has asked for it. */
  | { readonly kind: 'checking'; readonly isAsked: boolean }
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly findings: readonly PlacedFinding[]; readonly hasFocus: boolean }
  | { readonly kind: 'failed'; readonly error: unknown; retry(): void }

export interface Checks {
  readonly verdict: Verdict
  /** Asks the server about the text after a pause. */
  checkSoon(): void
  /** Asks the server now. @param hasFocus whether the list of the findings gets the focus; default: it does */
  checkNow(hasFocus?: boolean): void
  /** Ends a check that waits or runs: what is being stored is checked with it. */
  end(): void
  /**
   * Shows findings about a text that was sent. If it has changed since, the text of now is checked.
   * @param hasFocus whether the list gets the focus
   */
  show(findings: readonly Finding[], about: string, hasFocus: boolean): void
  /** Moves the focus to the list of the findings. */
  toFindings(): void
}

/** Findings about a text; none: it is valid. @throws Refusal */
export type Validate = (text: string, signal: AbortSignal) => Promise<readonly Finding[]>

/**
 * Checks the text of an editor.
 * @param validate default: by the schema of its record
 */
export function useChecks(
  { schema, language }: Pick<EditedDocument, 'schema' | 'language'>,
  editorOf: () => TextEditor | undefined,
  validate: Validate | undefined = schema && ((text, signal) => validateDocument(schema, text, signal)),
): Checks {
  const [verdict, setVerdict] = useState<Verdict>({ kind: 'none' })
  const timer = useRef(0)
  const running = useRef<AbortController | undefined>(undefined)

  function stop(): void {
    clearTimeout(timer.current)
    running.current?.abort()
  }
  function show(findings: readonly Finding[], hasFocus: boolean): void {
    const editor = editorOf()
    if (!editor) return
    const placed = editor.mark(placeFindings(editor.text(), language, findings))
    setVerdict(placed.length === 0 ? { kind: 'valid' } : { kind: 'invalid', findings: placed, hasFocus })
  }
  async function check(hasFocus: boolean): Promise<void> {
    stop()
    const text = editorOf()?.text()
    if (!validate || text === undefined) return
    const controller = new AbortController()
    running.current = controller
    const isIdle = noteFocus()
    setVerdict({ kind: 'checking', isAsked: hasFocus })
    try {
      const findings = await validate(text, controller.signal)
      // The places of findings belong to the text that was checked.
      if (!controller.signal.aborted && editorOf()?.text() === text) show(findings, hasFocus && isIdle())
    } catch (error) {
      if (!controller.signal.aborted) setVerdict({ kind: 'failed', error, retry: () => void check(false) })
    }
  }
  function checkSoon(): void {
    stop()
    timer.current = window.setTimeout(() => void check(false), pauses[language])
  }
  // Ends what still runs.
  useEffect(() => stop, [])
  const isConnected = useIsConnected()
  // What could not be checked without a connection is checked when it is back.
  useEffect(() => {
    if (isConnected && verdict.kind === 'failed' && verdict.error instanceof TypeError) void check(false)
  }, [isConnected])

  return {
    verdict,
    checkSoon,
    checkNow: (hasFocus = true) => void check(hasFocus),
    end() {
      stop()
      setVerdict(before => (before.kind === 'checking' ? { kind: 'none' } : before))
    },
    toFindings() {
      // Another object, so that the list takes the focus again.
      if (verdict.kind === 'invalid')
        setVerdict({ ...verdict, findings: [...verdict.findings], hasFocus: true })
    },
    show(findings, about, hasFocus) {
      if (editorOf()?.text() !== about) return checkSoon()
      stop()
      show(findings, hasFocus)
    },
  }
}

/** The findings of a verdict, and whether their list has the focus. */
export function findingsOf(verdict: Verdict) {
  return verdict.kind === 'invalid' ? verdict : { findings: [], hasFocus: false }
}
