import type { Principal } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import { identifierTypeOf } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id } from '../../core/value-types.js'
import type { Metadata } from '../records/metadata-collection.js'
import type { Schemas } from '../records/schema-collection.js'
import type { ExportWriter } from './export-writer.js'
import type { RecordWalk } from './public-records.js'
import type { ReadRecordHistory } from './record-history-reader.js'

/** What exports need beyond a revision. */
export interface Exports {
  /** The changes of a record up to a revision, oldest first. */
  readonly history: ReadRecordHistory
  /** All records that a caller may read. */
  readonly walk: RecordWalk
  /** Writes an export. @throws ProblemError `unavailable` if many long exports wait */
  write: ExportWriter['write']
  /** What the repository says of itself. */
  about(): Promise<{ readonly name?: string; readonly description?: string }>
  /**
   * The records that related identifiers of the type INTERNAL name, by name, as far as the caller may read them. It
   * pauses between look-ups: a record may name thousands.
   */
  internalRecords(
    caller: Principal,
    revision: Pick<Revision, 'record'>,
  ): Promise<ReadonlyMap<string, NamedRecord>>
}

export interface NamedRecord {
  readonly kind: Collection
  readonly id: Id
}

export interface ExportsOptions extends Pick<Exports, 'history' | 'walk' | 'about' | 'write'> {
  readonly collections: {
    readonly schema: Pick<Schemas, 'read'>
    readonly metadata: Pick<Metadata, 'read'>
  }
}

export function openExports({ collections, ...others }: ExportsOptions): Exports {
  function find(caller: Principal, name: string): NamedRecord | undefined {
    for (const kind of ['metadata', 'schema'] as const) {
      try {
        const { id } = collections[kind].read(caller, name)
        return { kind, id }
      } catch (error) {
        if (!isUnreadable(error)) throw error
      }
    }
    return undefined
  }

  return {
    ...others,
    async internalRecords(caller, { record }) {
      const found = new Map<string, NamedRecord>()
      const pauses = openEventLoopPauses()
      const names = (record.relatedIdentifiers ?? [])
        .filter(related => identifierTypeOf(related) === 'INTERNAL')
        .map(({ value }) => value)
      for (const name of new Set(names)) {
        await pauses.ifDue()
        const named = find(caller, name)
        if (named) found.set(name, named)
      }
      return found
    },
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof ProblemError && ['not-found', 'forbidden', 'unauthenticated'].includes(error.kind)
}
