import type { RevisionCursors } from '../../catalog/revision-history/revision-cursor.js'
import type { Collection } from '../../core/records/collection.js'
import type { ExportParts } from './export-records.js'
import { type ExportedItem, exportItems } from './export-records.js'
import { openImport } from './import-records.js'
import type { ImportOptions, ImportSummary } from './import-report.js'
import type { SourceItem } from './interchange-format.js'
import type { PrepareOptions } from './prepare-import.js'
import type { RepositoryDescription } from './ro-crate.js'

/** Import and export of records. */
export interface Transfer {
  /**
   * Imports items. Failures of items go to `options.failed`.
   * @throws ProblemError if the repository cannot be written
   */
  import(source: AsyncIterable<SourceItem>, options: ImportOptions): Promise<ImportSummary>
  /**
   * All revisions of schemas, and all or the newest revisions of metadata, in the order of history. Later updates are
   * ignored.
   */
  export(all: boolean): Export
  /** Name and description of the repository. */
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
