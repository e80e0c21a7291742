import type { ComponentChildren } from 'preact'
import { memo } from 'preact/compat'
import { schemaOf } from '../api/records.js'
import type { SearchHit } from '../api/search.js'
import { Time } from '../parts/time.js'
import { RecordLink } from '../reading/record-link.js'
import { words } from '../words.js'
import { AboutRecord } from './about-record.js'
import { recordOf, stateInWords } from './record-words.js'
import { listOrderIn, type SearchQuestion, type SortedColumn, withSortedBy } from './search-question.js'

interface Table {
  readonly question: SearchQuestion
  /** Number of all rows; undefined: not known. */
  readonly total: number | undefined
  readonly children: ComponentChildren
  ask(question: SearchQuestion): void
}

/** A dense table of records, whose headings sort it. */
export function RecordTable({ question, total, children, ask }: Table) {
  const { title, id, schema, version, changed: lastUpdate } = words.search.columns
  const columns = { title, id, schema, version, lastUpdate }
  const sort = {
    order: listOrderIn(question),
    sortBy: (column: SortedColumn) => ask(withSortedBy(question, column)),
  }
  return (
    <table
      class="dense list stacked"
      aria-label={words.search.table}
      aria-rowcount={total === undefined ? -1 : total + 1}
    >
      <thead>
        <tr aria-rowindex={1}>
          {Object.entries(columns).map(([column, name]) => (
            <SortingHeading key={column} name={name} column={column as SortedColumn} {...sort} />
          ))}
        </tr>
      </thead>
      {children}
    </table>
  )
}

function SortingHeading({
  name,
  column,
  order,
  sortBy,
}: {
  readonly name: string
  readonly column: SortedColumn
  readonly order: ReturnType<typeof listOrderIn>
  sortBy(column: SortedColumn): void
}) {
  const direction = order?.by === column ? order.direction : undefined
  return (
    <th scope="col" aria-sort={direction && (direction === 'asc' ? 'ascending' : 'descending')}>
      <button type="button" class="link" onClick={() => sortBy(column)}>
        {name}
        {direction && <span aria-hidden="true"> {direction === 'asc' ? '↑' : '↓'}</span>}
      </button>
    </th>
  )
}

interface Row {
  readonly hit: SearchHit
  /** Number of the row, from 0. */
  readonly index: number
  readonly titleOfSchema: (id: string) => string
}

/** A row, which is drawn again only if it has changed: a list keeps hundreds while the next ones come. */
export const RecordRow = memo(function RecordRow({ hit, index, titleOfSchema }: Row) {
  const { kind, record } = hit
  const schema = schemaOf(record)
  const state = stateInWords(record.state)
  return (
    <tr aria-rowindex={index + 2} class={hit.description && 'described'}>
      <td>
        <RecordLink record={recordOf(hit)}>{hit.title}</RecordLink>
        {state !== undefined && (
          <>
            {' '}
            <span class="tag">{state}</span>
          </>
        )}
        <AboutRecord description={hit.description} />
      </td>
      <td class="mono">{record.id}</td>
      <td dir="auto">{schema ? titleOfSchema(schema.id) : kind === 'schema' && words.search.kinds.schema}</td>
      <td class="version">{record.version}</td>
      <td>
        <Time instant={record.lastUpdate} isShort />
      </td>
    </tr>
  )
})
