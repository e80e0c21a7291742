import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Fragment } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter'
import { type Change, type ChangeFilter, readChangesBefore, readFirstChange } from '../api/change-pages.js'
import { openChangeStream } from '../api/change-stream.js'
import type { SchemaChoice } from '../api/new-records.js'
import { point } from '../api/point.js'
import { restoredIn } from '../api/records.js'
import { Author, authorInWords, namedAuthor } from '../parts/author.js'
import { FailureMessage } from '../parts/failure-message.js'
import { PageFrame, recordAddress } from '../parts/page-frame.js'
import { findSchema, SchemaTitleField, useSchemas } from '../parts/schema-picker.js'
import { Time } from '../parts/time.js'
import { MoreButton } from '../reading/more-button.js'
import { RecordLink } from '../reading/record-link.js'
import { NothingYet } from '../search/nothing-yet.js'
import { recordOf } from '../search/record-words.js'
import { useSchemaTitles, useTitles } from '../search/use-titles.js'
import { isAutomatic, words } from '../words.js'
import { historyWords } from '../words-of-history.js'

/** What changed, newest first; new changes come by themselves. The address has the filters. */
export function ChangesPage() {
  const query = new URLSearchParams(useSearch())
  const text = (name: string) => query.get(name)?.trim() ?? ''
  const filter = { kind: text('kind'), schemaId: text('schema'), author: text('author') }
  const since = text('since')
  return (
    <PageFrame title={words.changes.title}>
      <FilterForm filter={filter} since={since} />
      <Feed key={`feed ${query}`} filter={filter} since={since} />
    </PageFrame>
  )
}

interface Asked {
  readonly filter: ChangeFilter
  /** The commit after which changes are shown; empty: all are. */
  readonly since: string
}

function Feed({ filter, since }: Asked) {
  /** The commit of the oldest change that is asked for; null: there is none. */
  const bound = useQuery({
    queryKey: ['oldest change', since, filter],
    queryFn: async ({ signal }) => (await readFirstChange(since, filter, signal))?.commit ?? null,
    enabled: since !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const oldest = since === '' ? undefined : bound.data
  const read = useInfiniteQuery({
    queryKey: ['changes', filter],
    queryFn: ({ pageParam, signal }) => readChangesBefore(pageParam, filter, signal),
    initialPageParam: 'now',
    getNextPageParam: ({ next }) => next,
    enabled: since === '' || typeof oldest === 'string',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const earlier = untilOldest(read.data?.pages.flatMap(part => part.changes) ?? [], oldest)
  const isRead = read.data !== undefined || oldest === null
  const later = useNewChanges(filter, isRead ? (earlier.changes[0]?.commit ?? since) : undefined)
  const changes = [...later, ...earlier.changes]
  const titleOf = useTitles(changes.filter(({ change }) => change !== 'deleted'))
  const failed = [bound, read].find(({ error }) => error)
  const isWhole = [since, ...Object.values(filter)].every(value => value === '')
  if (isRead && changes.length === 0 && isWhole) return <NothingYet said={words.changes.nothingYet} />
  return (
    <>
      {failed && <FailureMessage error={failed.error} retry={() => void failed.refetch()} />}
      <p role="status">
        {!isRead && !failed && words.loading}
        {isRead && changes.length === 0 && words.changes.none}
        {later.length > 0 && words.changes.came(later.length)}
      </p>
      <section aria-label={words.changes.title}>
        {byDay(changes).map(({ day, ofDay }) => (
          <Fragment key={`${day} ${ofDay.at(-1)?.commit}`}>
            <h2>{day}</h2>
            <ol class="feed" aria-label={day}>
              {ofDay.map(change => (
                <li key={`${change.commit} ${change.kind} ${change.id}`}>
                  <Entry change={change} title={titleOf(change.kind, change.id)} />
                </li>
              ))}
            </ol>
          </Fragment>
        ))}
      </section>
      <MoreButton
        label={words.changes.older}
        hasMore={read.hasNextPage && !earlier.isCut}
        isLoading={read.isFetching}
        entries=".feed li"
        load={read.fetchNextPage}
      />
    </>
  )
}

interface Day {
  readonly day: string
  readonly ofDay: Change[]
}

/** Neighbours of the same day. The order of history stays, also where clocks were wrong. */
function byDay(changes: readonly Change[]): readonly Day[] {
  const days: Day[] = []
  for (const change of changes) {
    const day = words.time.day(new Date(change.time))
    const last = days.at(-1)
    if (last?.day === day) last.ofDay.push(change)
    else days.push({ day, ofDay: [change] })
  }
  return days
}

/** The changes down to the oldest one that is asked for. @param oldest its commit; undefined: there is no bound */
function untilOldest(changes: readonly Change[], oldest: string | null | undefined) {
  const last = changes.findLastIndex(({ commit }) => commit === oldest)
  return last < 0 ? { changes, isCut: false } : { changes: changes.slice(0, last + 1), isCut: true }
}

/** Changes that come while the page is open, newest first. @param since undefined: it is not known yet */
function useNewChanges(filter: ChangeFilter, since: string | undefined): readonly Change[] {
  const [changes, setChanges] = useState<readonly Change[]>([])
  const { kind = '', schemaId = '', author = '' } = filter
  useEffect(() => {
    setChanges([])
    if (since === undefined || point !== undefined) return
    return openChangeStream(since, { kind, schemaId, author }, change => {
      // After a lost connection, the stream may repeat the changes of a commit.
      setChanges(known => (known.some(other => isSame(change, other)) ? known : [change, ...known]))
    })
  }, [kind, schemaId, author, since])
  return changes
}

function isSame(one: Change, other: Change): boolean {
  return one.commit === other.commit && one.kind === other.kind && one.id === other.id
}

/** Who did what, and when. It leads to the comparison with the version before. */
function Entry({ change, title }: { readonly change: Change; readonly title: string }) {
  const { kind, id, time } = change
  const record = recordOf({ kind, record: change })
  if (!('version' in change)) {
    return (
      <>
        <p>
          {words.changes.deleted[change.change]} <span class="mono">{id}</span>
        </p>
        <p class="dim">
          <Time instant={time} />
          {change.author && (
            <>
              , <Author name={change.author} />
            </>
          )}
        </p>
      </>
    )
  }
  const { version, author, message } = change
  const restored = restoredIn(message, record)
  const what = restored === undefined ? words.changes.what[change.change] : words.changes.restored(restored)
  const isFirst = change.change === 'created'
  return (
    <>
      <p>
        <Author name={author} beginsSentence /> {what[kind]}{' '}
        {isFirst || version === 1 ? (
          <RecordLink record={record} version={version}>
            {title}
          </RecordLink>
        ) : (
          <Link href={recordAddress(record, 'compare', `?from=${version - 1}&to=${version}`)} dir="auto">
            {title}
          </Link>
        )}
      </p>
      {restored === undefined && !isAutomatic(message) && <p dir="auto">{message}</p>}
      <p class="dim">
        <Time instant={time} />, {historyWords.versions.versionNumber(version)}
        {title !== id && (
          <>
            , <span class="mono">{id}</span>
          </>
        )}
      </p>
    </>
  )
}

function FilterForm({ filter, since }: Asked) {
  const [, navigate] = useLocation()
  const { schemas, total, isWhole } = useSchemas('')
  const titleOfSchema = useSchemaTitles(!isWhole && filter.schemaId ? [filter.schemaId] : [])
  const { kind = '', schemaId = '', author = '' } = filter
  const inAddress = { kind, schema: schemaId, author: authorInWords(author) }
  const [asked, setAsked] = useState(inAddress)
  const sent = useRef(asked)
  const choose = (schema: string) => setAsked({ ...asked, schema })
  const [fault, setFault] = useState<string>()
  const [failure, setFailure] = useState<unknown>()
  // Another address has another filter. What was changed since the last one was asked for stays.
  useLayoutEffect(() => {
    const before = sent.current
    sent.current = inAddress
    setAsked(now => {
      const field = (name: keyof typeof now) => (now[name] === before[name] ? inAddress : now)[name]
      return { kind: field('kind'), schema: field('schema'), author: field('author') }
    })
    setFault(undefined)
  }, [kind, schemaId, author])
  async function show(event: Event) {
    event.preventDefault()
    const { kind, author } = asked
    sent.current = asked
    setFailure(undefined)
    const named = asked.schema.trim()
    // One chooses from a list, or types a title.
    const isKnown = named === '' || named === filter.schemaId || isWhole
    const schema = isKnown ? named : (await findSchema(named))?.id
    // Another filter was asked for meanwhile.
    if (sent.current !== asked) return
    setFault(schema === undefined ? words.changes.noSchema : undefined)
    if (schema === undefined) return
    const given = Object.entries({ kind, schema, author: namedAuthor(author.trim()), since })
    const query = new URLSearchParams(given.filter(([, value]) => value !== '')).toString()
    navigate(`/changes${query === '' ? '' : `?${query}`}`)
  }
  return (
    <form
      class="filter"
      aria-label={words.changes.form}
      onSubmit={event => void show(event).catch(setFailure)}
    >
      {failure !== undefined && <FailureMessage error={failure} />}
      <label>
        {words.search.facets.kind}
        <select
          value={asked.kind}
          onChange={({ currentTarget }) => setAsked({ ...asked, kind: currentTarget.value })}
        >
          <option value="">{words.changes.both}</option>
          {(['metadata', 'schema'] as const).map(kind => (
            <option key={kind} value={kind}>
              {words.search.facetKinds[kind]}
            </option>
          ))}
        </select>
      </label>
      {isWhole ? (
        <SchemaSelect {...{ schemas, value: asked.schema, isReady: total !== undefined }} change={choose} />
      ) : (
        <SchemaTitleField
          value={asked.schema === filter.schemaId ? titleOfSchema(asked.schema) : asked.schema}
          fault={fault}
          change={choose}
        />
      )}
      <label>
        {words.changes.author}
        <input
          value={asked.author}
          onInput={({ currentTarget }) => setAsked({ ...asked, author: currentTarget.value })}
        />
      </label>
      <button type="submit">{words.point.show}</button>
    </form>
  )
}

/** Chooses a schema by its title, if one answer has all of them. */
function SchemaSelect({
  schemas,
  value,
  isReady,
  change,
}: {
  readonly schemas: readonly SchemaChoice[]
  readonly value: string
  readonly isReady: boolean
  change(schema: string): void
}) {
  const isUnknown = value !== '' && !schemas.some(({ id }) => id === value)
  return (
    <label>
      {words.changes.schema}
      <select value={value} disabled={!isReady} onChange={({ currentTarget }) => change(currentTarget.value)}>
        <option value="">{words.changes.allSchemas}</option>
        {isUnknown && <option value={value}>{value}</option>}
        {schemas.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}
