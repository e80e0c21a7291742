import type { Revision } from '../../core/records/revision.js'
import { type Connection, openToRead } from '../database/sqlite-connection.js'
import { tableVersion } from '../database/table-definitions.js'
import type { PageJob, PageResult } from './long-list-reader.js'
import { openQueries } from './queries.js'
import { openRevisionCache } from './revision-cache.js'

export interface LongListAnswers {
  answer(job: Exclude<PageJob, { do: 'disconnect' }>): PageResult
  close(): void
}

/**
 * The inside of the thread that {@link openLongLists} asks: finds parts of lists in what is committed, and renders their
 * records.
 * @param show what a revision is shown as, in the way `as`
 */
export function openLongListAnswers(show: (revision: Revision, as: string) => string): LongListAnswers {
  let opened:
    | { readonly connection: Connection; readonly queries: ReturnType<typeof openQueries> }
    | undefined

  function open(file: string) {
    if (opened) return opened
    const connection = openToRead(file, tableVersion)
    if (!connection) throw new Error(`The catalog ${file} cannot be read as it is.`)
    connection.keepPages()
    opened = { connection, queries: openQueries(connection, openRevisionCache()) }
    return opened
  }

  function page({ file, kind, of, cut }: Extract<PageJob, { do: 'page' }>): PageResult {
    const { queries } = open(file)
    const identity = queries.identity()
    const found = 'id' in of ? queries.versionRows(kind, of.id, cut) : queries.listedRows(kind, of.query, cut)
    // Rows of one build may be others in the next one.
    if (queries.identity() !== identity) throw new Error('The catalog was made anew meanwhile.')
    return { identity, ...(found && { page: found }) }
  }

  function piece({ file, identity, revs, shownAs }: Extract<PageJob, { do: 'piece' }>): PageResult {
    const { connection, queries } = open(file)
    return connection.transaction('DEFERRED', () => {
      if (queries.identity() !== identity) throw new Error('The catalog was made anew meanwhile.')
      return {
        text: queries
          .revisionsOf(revs)
          .map(revision => show(revision, shownAs))
          .join(','),
      }
    })
  }

  return {
    answer: job => (job.do === 'page' ? page(job) : piece(job)),
    close() {
      opened?.connection.close()
      opened = undefined
    },
  }
}
