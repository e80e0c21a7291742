import type { CoreParts } from '../../compose/compose.js'
import type { OpenFeature } from '../../http/open-feature.js'
import { openExportWriter } from './export-writer.js'
import { type ExportsState, openInternalRecords } from './exports.js'
import { openRecordWalk } from './public-records.js'
import { openRecordHistoryReader } from './record-history-reader.js'

/** Opens the exports. */
export function openExports({
  catalog,
  repository,
  pages,
  describe,
  describeEach,
}: CoreParts): OpenFeature<ExportsState> {
  const { committed } = catalog
  const { write, close } = openExportWriter()
  const exports = {
    history: openRecordHistoryReader(committed, repository.history),
    walk: openRecordWalk(pages),
    describe,
    describeEach,
    write,
    internalRecords: openInternalRecords(committed),
  }
  return { state: { exports }, close }
}
