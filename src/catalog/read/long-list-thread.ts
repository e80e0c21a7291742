import type { Revision } from '../../core/records/revision.js'
import { openCatalogInThread } from '../database/open-catalog-file.js'
import type { Connection } from '../database/sqlite-connection.js'
import type { PageJob, PageResult } from './long-list-reader.js'
import { openRevisionCache } from './revision-cache.js'
import { openQueries } from './revision-queries.js'

/**
 * The code of the thread behind {@link openLongLists}: finds pages in the committed state and renders their records.
 * @param render renders a revision in the representation `as`
 */
export function openLongListAnswers(render: (revision: Revision, as: string) => string) {
  let opened:
    | { readonly connection: Connection; readonly queries: ReturnType<typeof openQueries> }
    | undefined

  function open(file: string) {
    if (opened) return opened
    const connection = openCatalogInThread(file)
    opened = { connection, queries: openQueries(connection, openRevisionCache()) }
    return opened
  }

  function page({ file, kind, of, window }: Extract<PageJob, { do: 'page' }>): PageResult {
    const { queries } = open(file)
    const identity = queries.identity()
    const found =
      'id' in of ? queries.versionRows(kind, of.id, window) : queries.listedRows(kind, of.query, window)
    // Row numbers differ between builds of the catalog.
    if (queries.identity() !== identity) throw new Error('The catalog was rebuilt meanwhile.')
    return { identity, ...(found && { page: found }) }
  }

  function piece({ file, identity, revs, renderAs }: Extract<PageJob, { do: 'piece' }>): PageResult {
    const { connection, queries } = open(file)
    return connection.transaction('DEFERRED', () => {
      if (queries.identity() !== identity) throw new Error('The catalog was rebuilt meanwhile.')
      return {
        text: queries
          .revisionsOf(revs)
          .map(revision => render(revision, renderAs))
          .join(','),
      }
    })
  }

  return {
    answer(job: Exclude<PageJob, { do: 'disconnect' }>): PageResult {
      if (job.do === 'harvest') return { harvest: open(job.file).queries.harvest(job.query) }
      return job.do === 'page' ? page(job) : piece(job)
    },
    close(): void {
      opened?.connection.close()
      opened = undefined
    },
  }
}
