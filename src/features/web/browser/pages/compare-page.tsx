import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter'
import { type RecordName, readDifference } from '../api/records.js'
import { Author } from '../parts/author.js'
import { FailureMessage } from '../parts/failure-message.js'
import { PageFrame, recordAddress } from '../parts/page-frame.js'
import { TextComparison } from '../parts/text-comparison.js'
import { Time } from '../parts/time.js'
import { useRecord, useVersionText } from '../parts/use-record.js'
import { ChangeList } from '../reading/change-list.js'
import { historyWords } from '../words-of-history.js'

/** Two versions of a record: their texts side by side, or a list of the changes. */
export function ComparePage(record: RecordName) {
  const search = new URLSearchParams(useSearch())
  const chosen = { from: numberIn(search, 'from'), to: numberIn(search, 'to') }
  const current = useRecord(record)
  const to = chosen.to ?? (current.data && Number(current.data.record.version))
  const from = chosen.from ?? (to === undefined ? undefined : Math.max(1, to - 1))
  const name = current.data?.title ?? record.id
  const isList = search.get('view') === 'list'
  const isKnown = from !== undefined && to !== undefined
  return (
    <PageFrame title={isKnown ? historyWords.compare.title(from, to, name) : name} record={record}>
      {!isKnown && current.error && (
        <FailureMessage error={current.error} retry={() => void current.refetch()} />
      )}
      {isKnown && (
        <>
          <VersionChoice record={record} from={from} to={to} isList={isList} />
          <nav class="pager" aria-label={historyWords.compare.views}>
            {[false, true].map(each => (
              <Link
                key={String(each)}
                href={compareAddress(record, from, to, each)}
                aria-current={each === isList ? 'true' : undefined}
              >
                {each ? historyWords.compare.asList : historyWords.compare.asText}
              </Link>
            ))}
          </nav>
          <Difference record={record} from={from} to={to} isList={isList} />
        </>
      )}
    </PageFrame>
  )
}

interface Shown {
  readonly record: RecordName
  readonly from: number
  readonly to: number
  readonly isList: boolean
}

function Difference({ record, from, to, isList }: Shown) {
  const difference = useQuery({
    queryKey: ['difference', record.collection, record.id, from, to],
    queryFn: ({ signal }) => readDifference(record, from, to, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const texts = [
    useVersionText(record, isList ? undefined : from),
    useVersionText(record, isList ? undefined : to),
  ]
  const failed = [difference, ...texts].find(({ error }) => error)
  const [before, after] = texts.map(({ data }) => data)
  return (
    <>
      {failed && <FailureMessage error={failed.error} retry={() => void failed.refetch()} />}
      {difference.data && (
        <p class="dim" role="status">
          {[difference.data.from, difference.data.to].map(({ version, author, time }) => (
            <span key={version}>
              {historyWords.versions.versionNumber(version)}: <Author name={author} />,{' '}
              <Time instant={time} />.{' '}
            </span>
          ))}
        </p>
      )}
      {!isList && before && after && (
        <TextComparison from={{ version: from, document: before }} to={{ version: to, document: after }} />
      )}
      {isList && difference.data && <ChangeList difference={difference.data} name={record} />}
    </>
  )
}

/** The form with both versions. It changes the address, which is the whole state of the page. */
function VersionChoice({ record, from, to, isList }: Shown) {
  const [, navigate] = useLocation()
  const [first, setFirst] = useState(String(from))
  const [second, setSecond] = useState(String(to))
  // Before a person can type: a later one would replace what was typed.
  useLayoutEffect(() => {
    setFirst(String(from))
    setSecond(String(to))
  }, [from, to])
  const go = (a: number, b: number) => navigate(compareAddress(record, a, b, isList))
  function submit(event: Event) {
    event.preventDefault()
    go(Number(first), Number(second))
  }
  return (
    <form onSubmit={submit}>
      <VersionField label={historyWords.compare.from} value={first} change={setFirst} />
      <VersionField label={historyWords.compare.to} value={second} change={setSecond} />
      <button type="submit" class="button main">
        {historyWords.compare.show}
      </button>
      <button type="button" onClick={() => go(to, from)}>
        {historyWords.compare.swap}
      </button>
    </form>
  )
}

function VersionField({
  label,
  value,
  change,
}: {
  readonly label: string
  readonly value: string
  change(value: string): void
}) {
  return (
    <label class="short">
      {label}
      <input
        type="number"
        min="1"
        required
        value={value}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    </label>
  )
}

function compareAddress(record: RecordName, from: number, to: number, isList: boolean): string {
  return recordAddress(record, 'compare', `?from=${from}&to=${to}${isList ? '&view=list' : ''}`)
}

/** A version in the address; undefined if there is none. */
function numberIn(search: URLSearchParams, name: string): number | undefined {
  const number = Number(search.get(name) ?? Number.NaN)
  return Number.isInteger(number) && number > 0 ? number : undefined
}
