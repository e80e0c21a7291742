import { ProblemError } from '../../core/problem.js'
import { retryWhileStale, type Transactions } from '../../service/updates/submit-update.js'
import { type ImportOptions, type ImportOutcome, ImportReport, type ImportSummary } from './import-report.js'
import { importSquashed, type ReadyItem } from './import-squashed.js'
import type { InterchangeItem, SourceItem } from './interchange-format.js'
import {
  openItemPreparer,
  type PreparedItem,
  type PrepareItem,
  type PrepareOptions,
} from './prepare-import.js'

/** Limit of the items that are checked ahead of the one that is written. */
const maxCheckedAhead = 256
/** Limit of the updates that wait for the writer: as many as two flushes. */
const maxWriting = 512

/**
 * Imports items in their order. Several are checked at once, but they are written in order, because an item may take a
 * name that an earlier one frees. A schema is written before later items are checked, because they may follow it.
 */
export function openImport(options: PrepareOptions) {
  const prepare = openItemPreparer(options)
  return (source: AsyncIterable<SourceItem>, wishes: ImportOptions): Promise<ImportSummary> =>
    new ImportRun(options.transactions, prepare, wishes).run(source)
}

class ImportRun {
  readonly #report: ImportReport
  readonly #checking: { readonly read: SourceItem; readonly prepared: Promise<PreparedItem> }[] = []
  readonly #writing = new Set<Promise<void>>()
  /** Metadata that will be stored in one commit, with the option `squash`. */
  readonly #squashed: ReadyItem[] = []
  /** Schemas that failed. They are tried again, because they may refer to schemas that come later. */
  #postponed: { readonly read: SourceItem; readonly thrown: unknown }[] = []

  constructor(
    private readonly transactions: Transactions,
    private readonly prepare: PrepareItem,
    private readonly options: ImportOptions,
  ) {
    this.#report = new ImportReport(options)
  }

  async run(source: AsyncIterable<SourceItem>): Promise<ImportSummary> {
    for await (const read of source) {
      const { content } = read
      if (!(content instanceof ProblemError) && content.kind === 'schema') {
        await this.#writeAll()
        const failure = await this.#importSchema(content)
        if (failure) this.#postponed.push({ read, ...failure })
      } else {
        if (this.#postponed.length > 0) await this.#retryPostponed()
        this.#startCheck(read)
        if (this.#checking.length >= maxCheckedAhead) await this.#writeNext()
      }
      if (this.#report.isOver) break
    }
    await this.#writeAll()
    await this.#retryPostponed()
    if (this.#squashed.length > 0 && !this.#report.isOver) {
      await importSquashed(this.transactions, this.#squashed, this.options, this.#report)
    }
    this.#report.throwIfFatal()
    return this.#report.summary
  }

  #startCheck(read: SourceItem): void {
    const { content } = read
    const prepared =
      content instanceof ProblemError ? Promise.reject(content) : this.prepare(content, this.options.update)
    // `#writeNext` handles the failure. This prevents an unhandled rejection until then.
    prepared.catch(() => undefined)
    this.#checking.push({ read, prepared })
  }

  /** Hands the first checked item to the writer. */
  async #writeNext(): Promise<void> {
    const next = this.#checking.shift()
    if (!next) return
    const { read, prepared } = next
    try {
      const ready = await prepared
      if (this.#report.isOver) return
      if (this.options.squash !== undefined && ready.item.kind === 'metadata') {
        this.#squashed.push({ read, prepared: ready })
        return
      }
      if (this.#writing.size >= maxWriting) await Promise.race(this.#writing)
      const write: Promise<void> = this.#write(ready)
        .then(
          outcome => this.#report.note(outcome),
          error => this.#report.fail(read, error),
        )
        .finally(() => this.#writing.delete(write))
      this.#writing.add(write)
    } catch (error) {
      this.#report.fail(read, error)
    }
  }

  async #writeAll(): Promise<void> {
    while (this.#checking.length > 0) await this.#writeNext()
    await Promise.all(this.#writing)
  }

  /** Imports a schema. @returns the failure, if there is one */
  async #importSchema(item: InterchangeItem): Promise<{ readonly thrown: unknown } | undefined> {
    try {
      this.#report.note(await this.#write(await this.prepare(item, this.options.update)))
      return undefined
    } catch (thrown) {
      return { thrown }
    }
  }

  /** Tries the postponed schemas again while at least one of them succeeds. The others have failed. */
  async #retryPostponed(): Promise<void> {
    for (let before = 0; this.#postponed.length > 0 && this.#postponed.length !== before; ) {
      before = this.#postponed.length
      const again = this.#postponed
      this.#postponed = []
      for (const { read } of again) {
        const failure = await this.#importSchema(read.content as InterchangeItem)
        if (failure) this.#postponed.push({ read, ...failure })
      }
    }
    for (const { read, thrown } of this.#postponed.splice(0)) this.#report.fail(read, thrown)
  }

  async #write(first: PreparedItem): Promise<ImportOutcome> {
    let ready: PreparedItem | undefined = first
    return await retryWhileStale(async () => {
      const { item, caller, plan } = ready ?? (await this.prepare(first.item, this.options.update))
      // A stale preparation is not used again.
      ready = undefined
      let outcome: ImportOutcome = 'there'
      await this.transactions.commit(
        caller,
        state => {
          const planned = plan(state)
          outcome = planned.outcome
          return planned.change
        },
        item,
      )
      return outcome
    })
  }
}
