import type { Chronicle } from '../../catalog/revision-history/revision-cursor.js'
import type { Kind } from '../../core/records/record-kind.js'
import type { ExportParts } from './export-records.js'
import { type Exported, exported } from './export-records.js'
import { type ImportOptions, openImport, type Read, type Summary } from './import-records.js'
import type { PrepareOptions } from './prepare-import.js'
import type { About } from './ro-crate.js'

/** Takes records over from elsewhere, and hands them over to elsewhere. */
export interface Transfer {
  /**
   * @throws ProblemError where the repository cannot be written; what is wrong with an item is told to `options.failed`
   */
  import(source: AsyncIterable<Read>, options: ImportOptions): Promise<Summary>
  /**
   * Every revision of schemas, and of metadata the newest or all, in the order of history. What is written after the
   * call is not seen.
   */
  export(all: boolean): Export
  /** What the repository says of itself. */
  about(): Promise<About>
}

export interface Export {
  readonly total: number
  items(kind?: Kind): AsyncGenerator<Exported>
}

export interface TransferOptions extends PrepareOptions, ExportParts {
  readonly chronicle: Chronicle
  readonly about: () => Promise<About>
}

export function openTransfer(options: TransferOptions): Transfer {
  return {
    import: openImport(options),
    export(all) {
      const chronicle = options.chronicle.open(all)
      return { total: chronicle.total, items: kind => exported(options, chronicle, all, kind) }
    },
    about: options.about,
  }
}
