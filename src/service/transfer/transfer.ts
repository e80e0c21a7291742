import type { RevisionCursors } from '../../catalog/revision-history/revision-cursor.js'
import type { Collection } from '../../core/records/collection.js'
import type { ExportParts } from './export-records.js'
import { type ExportedItem, exportItems } from './export-records.js'
import { type ImportOptions, type ImportSummary, openImport, type SourceItem } from './import-records.js'
import type { PrepareOptions } from './prepare-import.js'
import type { RepositoryDescription } from './ro-crate.js'

/** Takes records over from elsewhere, and hands them over to elsewhere. */
export interface Transfer {
  /**
   * @throws ProblemError where the repository cannot be written; what is wrong with an item is told to `options.failed`
   */
  import(source: AsyncIterable<SourceItem>, options: ImportOptions): Promise<ImportSummary>
  /**
   * Every revision of schemas, and of metadata the newest or all, in the order of history. What is written after the
   * call is not seen.
   */
  export(all: boolean): Export
  /** What the repository says of itself. */
  about(): Promise<RepositoryDescription>
}

export interface Export {
  readonly total: number
  items(kind?: Collection): AsyncGenerator<ExportedItem>
}

export interface TransferOptions extends PrepareOptions, ExportParts {
  readonly cursors: RevisionCursors
  readonly about: () => Promise<RepositoryDescription>
}

export function openTransfer(options: TransferOptions): Transfer {
  return {
    import: openImport(options),
    export(all) {
      const cursor = options.cursors.open(all)
      return { total: cursor.total, items: kind => exportItems(options, cursor, all, kind) }
    },
    about: options.about,
  }
}
