import { useEffect, useRef, useState } from 'preact/hooks'
import type { AffectedDocument } from '../api/interface-types.js'
import { assessImpact, type ImpactCounts, type SchemaContent } from '../api/schemas.js'

/** Limit of the documents that are shown. The numbers count all. */
export const maxShown = 200
/** Milliseconds between two views of what was found. */
const interval = 100

/** How far an assessment is. */
export interface ImpactState {
  readonly phase: 'none' | 'running' | 'done' | 'stopped' | 'failed'
  readonly counts: ImpactCounts
  /** The first documents that would be wrong. */
  readonly documents: readonly AffectedDocument[]
  readonly error?: unknown
}

export interface ImpactAssessment extends ImpactState {
  /** Checks the stored documents. Ends an assessment that runs. @returns how it has ended */
  assess(content: SchemaContent): Promise<ImpactState>
  stop(): void
  /** Forgets what was found: the schema has changed. */
  reset(): void
}

const nothing: ImpactState = {
  phase: 'none',
  counts: { checked: 0, total: 0, breaking: 0, invalidBefore: 0 },
  documents: [],
}

/** What a next version of a schema would break. */
export function useImpact(id: string): ImpactAssessment {
  const [state, setState] = useState(nothing)
  const running = useRef<AbortController | undefined>(undefined)
  // Ends what still runs.
  useEffect(() => () => running.current?.abort('left'), [])

  async function assess(content: SchemaContent): Promise<ImpactState> {
    running.current?.abort('again')
    const controller = new AbortController()
    running.current = controller
    const { signal } = controller
    let { counts } = nothing
    const documents: AffectedDocument[] = []
    let shownAt = 0
    function show(phase: ImpactState['phase'], error?: unknown): ImpactState {
      const now = { phase, counts, documents: [...documents], error }
      shownAt = performance.now()
      if (running.current === controller) setState(now)
      return now
    }
    show('running')
    try {
      for await (const event of assessImpact(id, content, signal)) {
        if (event.kind === 'document') {
          if (documents.length < maxShown) documents.push(event.document)
          const which = event.document.validBefore ? 'breaking' : 'invalidBefore'
          counts = { ...counts, [which]: counts[which] + 1 }
        } else if (event.kind === 'progress') counts = event.counts
        else {
          const { checked, breaking, invalidBefore } = event.result
          counts = { ...counts, checked, breaking, invalidBefore }
        }
        if (performance.now() - shownAt > interval) show('running')
      }
      return show('done')
    } catch (error) {
      return signal.aborted ? show('stopped') : show('failed', error)
    }
  }

  return {
    ...state,
    assess,
    stop: () => running.current?.abort('stopped'),
    reset() {
      running.current?.abort('reset')
      running.current = undefined
      setState(nothing)
    },
  }
}
