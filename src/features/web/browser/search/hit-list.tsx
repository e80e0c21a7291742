import { nameInWords } from '../../../../core/text/name-in-words.js'
import { overlapsBeginning } from '../../../../core/text/overlaps-beginning.js'
import { schemaOf } from '../api/records.js'
import type { Passage, SearchHit } from '../api/search.js'
import { Time } from '../parts/time.js'
import { RecordLink } from '../reading/record-link.js'
import { words } from '../words.js'
import { historyWords } from '../words-of-history.js'
import { AboutRecord } from './about-record.js'
import { recordOf, stateInWords } from './record-words.js'

/** Limit of the fields of a hit whose passages are shown. */
const maxFields = 3
/** Fields of the record that a hit shows anyway. Their passages come last. */
const shownAnyway = new Set(['id', 'schema', 'resource', 'creator', 'year', 'licence'])

/** A record that matches words, with the passages that have them. */
export function HitEntry({
  hit,
  titleOfSchema,
}: {
  readonly hit: SearchHit
  titleOfSchema(id: string): string
}) {
  const { kind, record, title, passages } = hit
  // The title is that of the record, or stands in the document.
  const inTitle = passages.flatMap(each => each.passages).find(({ text }) => text === title)
  const others = passages
    .map(each => ({ ...each, passages: each.passages.filter(({ text }) => text !== title) }))
    .filter(each => each.passages.length > 0)
    .sort((a, b) => Number(shownAnyway.has(a.field)) - Number(shownAnyway.has(b.field)))
  const shown = others.slice(0, maxFields)
  const isTextShown = shown.some(each =>
    each.passages.some(({ text }) => overlapsBeginning(text, hit.description?.text)),
  )
  const schema = schemaOf(record)
  const state = stateInWords(record.state)
  return (
    <li>
      <h2>
        <RecordLink record={recordOf(hit)}>
          <span>{inTitle ? <Marked {...inTitle} /> : title}</span>
        </RecordLink>
      </h2>
      {shown.map(({ field, passages: found }) => (
        <p key={field} class="passage">
          {field !== 'document' && kind === 'metadata' && (
            <span class="dim" title={withoutPrefix(field)}>
              {placeInWords(field)}:{' '}
            </span>
          )}
          {found.map((passage, index) => (
            <span key={passage.text} dir="auto">
              {index > 0 && ' … '}
              <Marked {...passage} />
            </span>
          ))}
        </p>
      ))}
      {others.length > maxFields && <p class="dim">{words.search.morePlaces(others.length - maxFields)}</p>}
      <AboutRecord description={hit.description} isTextShown={isTextShown} />
      <p class="dim">
        {words.search.kinds[kind]} <span class="mono">{record.id}</span>
        {schema && (
          <>
            , <span dir="auto">{titleOfSchema(schema.id)}</span>
          </>
        )}
        , {historyWords.versions.versionNumber(Number(record.version))}
        {state !== undefined && (
          <>
            , <span class="tag">{state}</span>
          </>
        )}
        , <Time instant={record.lastUpdate} isShort />
      </p>
    </li>
  )
}

/** A text with what was found in it. The places say where; no text becomes markup. */
function Marked({ text, hits }: Passage) {
  const parts = hits.map(({ start, end }, index) => [
    text.slice(hits[index - 1]?.end ?? 0, start),
    <mark key={start}>{text.slice(start, end)}</mark>,
  ])
  return (
    <>
      {parts}
      {text.slice(hits.at(-1)?.end ?? 0)}
    </>
  )
}

function withoutPrefix(field: string): string {
  return field.replace(/^document\./, '')
}

/** The last name of a path in words: `people.familyName` as `Family name`. */
function placeInWords(field: string): string {
  return nameInWords(field.slice(field.lastIndexOf('.') + 1).replace(/^@/, ''))
}
