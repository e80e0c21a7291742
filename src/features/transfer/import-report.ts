import { ProblemError } from '../../core/problem.js'
import type { SourceItem } from './interchange-format.js'

/** The outcome of an item. `there`: the repository has the item already. */
export type ImportOutcome = 'created' | 'revised' | 'removed' | 'there'

export interface ImportOptions {
  /** Whether an item that differs from the existing record becomes its next version. If not, it is a conflict. */
  readonly update: boolean
  /**
   * The subject of one commit for all metadata. Schemas have a commit each, because each commit makes one version.
   * Undefined: each item has a commit.
   */
  readonly squash?: string
  /** Whether the first failure ends the import. Items that are being written are finished. */
  readonly strict: boolean
  /** Called after each item. */
  progress?(summary: ImportSummary): void
  failed(failure: ImportFailure): void
}

export interface ImportFailure {
  readonly place: string
  /** `metadata overview-7`, if it could be read. */
  readonly record?: string
  readonly problem: ProblemError
}

/** Numbers of items. */
export type ImportSummary = { [outcome in ImportOutcome | 'failed']: number }

/** Counts outcomes, and decides whether a failure ends the import. */
export class ImportReport {
  readonly summary: ImportSummary = { created: 0, revised: 0, removed: 0, there: 0, failed: 0 }
  #isStopped: boolean
  /** A failure of the machine, not of an item. */
  #fatal: { readonly thrown: unknown } | undefined

  constructor(private readonly options: ImportOptions) {
    this.#isStopped = false
  }

  /** Whether the import must end. */
  get isOver(): boolean {
    return this.#isStopped || this.#fatal !== undefined
  }

  note(outcome: ImportOutcome): void {
    this.summary[outcome]++
    this.options.progress?.(this.summary)
  }

  fail({ place, content }: SourceItem, thrown: unknown): void {
    if (!(thrown instanceof ProblemError) || thrown.kind === 'unavailable' || thrown.kind === 'no-space') {
      this.#fatal ??= { thrown }
      return
    }
    // Later items were checked ahead. A strict import reports the first failure only.
    if (this.#isStopped) return
    this.summary.failed++
    if (this.options.strict) this.#isStopped = true
    const about = content instanceof ProblemError ? {} : { record: `${content.kind} ${content.id}` }
    this.options.failed({ place, ...about, problem: thrown })
    this.options.progress?.(this.summary)
  }

  throwIfFatal(): void {
    if (this.#fatal) throw this.#fatal.thrown
  }
}
