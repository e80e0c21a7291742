import type { CoreParts } from '../../compose/compose.js'
import type { Collection } from '../../core/records/collection.js'
import { type ExportedItem, exportItems } from './export-records.js'
import { openImport } from './import-records.js'
import type { ImportOptions, ImportSummary } from './import-report.js'
import type { SourceItem } from './interchange-format.js'
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
  /** What the document of a revision says about itself, as in exports over HTTP. */
  readonly describe: CoreParts['describe']
  /** Name and description of the repository. */
  about(): Promise<RepositoryDescription>
}

export interface Export {
  readonly total: number
  items(kind?: Collection): AsyncGenerator<ExportedItem>
}

/** Opens import and export over the core. */
export function openTransfer(parts: CoreParts): Transfer {
  const { catalog, repository } = parts
  const used = { ...parts, history: repository.history }
  return {
    import: openImport(used),
    export(all) {
      const cursor = catalog.cursors.open(all)
      return { total: cursor.total, items: kind => exportItems(used, cursor, all, kind) }
    },
    describe: parts.describe,
    about: parts.about,
  }
}
