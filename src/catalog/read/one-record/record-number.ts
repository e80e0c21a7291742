import type { Collection } from '../../../core/records/collection.js'
import type { Id } from '../../../core/value-types.js'
import { recordDirectory } from '../../../store/records/repository-layout.js'
import type { Connection } from '../../database/sqlite-connection.js'

/** Returns a function that looks up the row number of a record, also of one that is GONE. */
export function openRecordNumbers(connection: Connection): (kind: Collection, id: Id) => number | undefined {
  const record = connection.prepare<readonly [rid: number]>('SELECT rid FROM record WHERE directory = ?')
  return (kind, id) => record.get(recordDirectory(kind, id))?.[0]
}
