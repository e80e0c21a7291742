import type { ComponentChildren } from 'preact'
import { schemaOf, titleOf } from '../api/records.js'
import type { SearchHit } from '../api/search.js'
import { landingPage } from '../parts/page-frame.js'
import { Time } from '../parts/time.js'
import { words } from '../words.js'
import { recordOf, stateInWords } from './record-words.js'

/** A dense table of records. @param total number of all rows; undefined: not known */
export function RecordTable({
  total,
  children,
}: {
  readonly total: number | undefined
  readonly children: ComponentChildren
}) {
  const { title, id, schema, version, changed } = words.search.columns
  return (
    <table
      class="dense list"
      aria-label={words.search.table}
      aria-rowcount={total === undefined ? -1 : total + 1}
    >
      <thead>
        <tr aria-rowindex={1}>
          {[title, id, schema, version, changed].map(name => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      {children}
    </table>
  )
}

/** @param index of the row, from 0 */
export function RecordRow({
  hit,
  index,
  titleOfSchema,
}: {
  readonly hit: SearchHit
  readonly index: number
  titleOfSchema(id: string): string
}) {
  const { kind, record } = hit
  const schema = schemaOf(record)
  const state = stateInWords(record.state)
  return (
    <tr aria-rowindex={index + 2}>
      <td>
        <a href={landingPage(recordOf(hit))} dir="auto">
          {titleOf(record)}
        </a>
        {state !== undefined && (
          <>
            {' '}
            <span class="tag">{state}</span>
          </>
        )}
      </td>
      <td class="mono">{record.id}</td>
      <td dir="auto">{schema ? titleOfSchema(schema.id) : kind === 'schema' && words.search.kinds.schema}</td>
      <td>{record.version}</td>
      <td>
        <Time instant={record.lastUpdate} />
      </td>
    </tr>
  )
}
