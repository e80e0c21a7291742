import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter'
import { point } from '../api/point.js'
import { schemaOf } from '../api/records.js'
import type { SearchHit, SearchPart } from '../api/search.js'
import { FailureMessage } from '../parts/failure-message.js'
import { LetterKeyChoice } from '../parts/letter-keys.js'
import { PageFrame } from '../parts/page-frame.js'
import { MoreButton } from '../reading/more-button.js'
import { FacetChoices } from '../search/facet-choices.js'
import { HitEntry } from '../search/hit-list.js'
import { ListNews } from '../search/list-news.js'
import { NothingYet } from '../search/nothing-yet.js'
import { usePartWindow } from '../search/part-window.js'
import { RecordRow, RecordTable } from '../search/record-table.js'
import {
  narrowingCount,
  orders,
  questionIn,
  type SearchQuestion,
  searchAddress,
} from '../search/search-question.js'
import { useResults } from '../search/use-results.js'
import { useCurrentTitles, useSchemaTitles } from '../search/use-titles.js'
import { words } from '../words.js'

/** Finds records by words, and lists them without. The address has the whole search. */
export function SearchPage() {
  const question = questionIn(useSearch())
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const results = useResults(question)
  const { first, parts, counts, error } = results
  const shown = parts.flatMap(({ part }) => part.hits)
  const titleOfSchema = useSchemaTitles([
    ...[counts.counted, counts.unnarrowed]
      .flatMap(each => each?.get('schema')?.values ?? [])
      .map(each => each.value),
    ...question.values.schema,
    ...shown.flatMap(({ record }) => schemaOf(record)?.id ?? []),
  ])
  const current = useCurrentTitles(shown)
  const ask = (asked: SearchQuestion, isTyped = false) => navigate(searchAddress(asked), { replace: isTyped })
  async function showNews(commit: string) {
    results.mustReflect(commit)
    scrollTo(0, 0)
    await queries.resetQueries({ queryKey: ['search'] })
  }
  return (
    <PageFrame title={titleOfSearch(question.q)}>
      <SearchForm question={question} ask={ask} />
      {error && <FailureMessage error={error} retry={() => void results.refetch()} />}
      <p role="status">{first ? <Total {...first} /> : !error && words.loading}</p>
      {first && <Notes {...first} />}
      {first?.commit !== undefined && (
        <ListNews
          commit={first.commit}
          kind={question.values.kind.length === 1 ? (question.values.kind[0] ?? '') : ''}
          show={commit => void showNews(commit)}
        />
      )}
      <div class="found" aria-busy={results.isPlaceholderData}>
        <FacetChoices
          question={question}
          {...counts}
          isAtLeast={first?.facetsAre === 'atLeast'}
          titleOfSchema={titleOfSchema}
          ask={ask}
        />
        <Results {...{ results, question, titleOfSchema, current, ask }} />
      </div>
      <LetterKeyChoice />
    </PageFrame>
  )
}

interface Asked {
  readonly question: SearchQuestion
  ask(question: SearchQuestion, isTyped?: boolean): void
}

/**
 * Characters of a query that the server reads. Of one that has more, one more is sent: then the server says so. No address
 * gets too long for it. @see docs/use/search.md#what-to-type
 */
const longestQuery = 2000
/** Characters of a query in the heading of the page. */
const longestTitle = 80

function titleOfSearch(q: string): string {
  if (q === '') return words.search.title
  return words.search.titleOf(q.length > longestTitle ? `${q.slice(0, longestTitle)}…` : q)
}

/** Milliseconds after a key until the words are searched. */
const pause = 300

function SearchForm({ question, ask }: Asked) {
  const [typed, setTyped] = useState(question.q)
  const timer = useRef(0)
  const asked = useRef(question.q)
  const latest = useRef(question)
  latest.current = question
  // Another address, such as by Back, has other words. The address that a search of this form made has its words without
  // the space at the end, after which the person may type on.
  useLayoutEffect(() => {
    if (question.q !== asked.current) {
      clearTimeout(timer.current)
      setTyped(question.q)
    }
    asked.current = question.q
  }, [question.q])
  useEffect(() => () => clearTimeout(timer.current), [])
  const search = (q: string, isTyped: boolean) => {
    clearTimeout(timer.current)
    asked.current = q.trim().slice(0, longestQuery + 1)
    // What was narrowed during the pause stays.
    ask({ ...latest.current, q: asked.current }, isTyped)
  }
  function type(q: string) {
    setTyped(q)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => search(q, true), pause)
  }
  function submit(event: Event) {
    event.preventDefault()
    search(typed, false)
  }
  return (
    <search aria-label={words.search.form}>
      <form class="filter" onSubmit={submit}>
        <label>
          {words.search.words}
          <input
            type="search"
            class="search-words"
            value={typed}
            autocapitalize="off"
            placeholder={words.search.example}
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
        </label>
        {question.q !== '' && <OrderOfMatches {...{ question, ask }} />}
        <button type="submit">{words.search.search}</button>
      </form>
    </search>
  )
}

/** The order of what matches words. A list is sorted by the headings of its table. */
function OrderOfMatches({ question, ask }: Asked) {
  return (
    <label class="order">
      {words.search.order}
      <select
        value={question.sort}
        onChange={({ currentTarget }) => ask({ ...question, sort: currentTarget.value })}
      >
        {[...new Set([...orders, question.sort])].map(order => (
          <option key={order} value={order}>
            {words.search.orders[order] ?? order}
          </option>
        ))}
      </select>
    </label>
  )
}

function Total({ total, totalIs }: SearchPart) {
  return <strong>{words.search.total(total, totalIs === 'atLeast')}</strong>
}

function Notes({ notes, ranked, upToDate }: SearchPart) {
  const all = [
    ...notes,
    ...(ranked === 'newest' ? [words.search.rankedNewest] : []),
    ...(upToDate || point !== undefined ? [] : [words.search.behind]),
  ]
  return (
    <>
      {all.map(note => (
        <p key={note} class="dim">
          {note}
        </p>
      ))}
    </>
  )
}

interface Listed extends Asked {
  readonly results: ReturnType<typeof useResults>
  titleOfSchema(id: string): string
  /** The hit with the title of now. */
  current(hit: SearchHit): SearchHit
}

/** The parts that are kept: rows of a table, or entries with passages. */
function Results({ results, question, titleOfSchema, current, ask }: Listed) {
  const { parts, first, hasNextPage, isFetching } = results
  const window = usePartWindow({
    first: parts[0]?.index ?? 0,
    hasNext: hasNextPage,
    isReading: isFetching,
    readNext: () => void results.fetchNextPage(),
    readPrevious: () => void results.fetchPreviousPage(),
  })
  const isNarrowed = narrowingCount(question) > 0
  if (first?.total === 0 && question.q === '' && !isNarrowed)
    return <NothingYet said={words.search.nothingYet} />
  if (first?.total === 0) return <p class="empty">{words.search.nothing(question.q, isNarrowed)}</p>
  const shown = parts.map(({ part, index, size }) => ({
    ...{ hits: part.hits.map(current), index, start: index * size },
  }))
  return (
    <div ref={window.host}>
      {question.q === '' ? (
        <RecordTable {...{ question, ask }} total={first?.totalIs === 'atLeast' ? undefined : first?.total}>
          <tbody aria-hidden="true" style={{ height: window.above }} />
          {shown.map(({ hits, index, start }) => (
            <tbody key={index} data-part={index}>
              {hits.map((hit, row) => (
                <RecordRow
                  key={`${hit.kind} ${hit.record.id}`}
                  {...{ hit, titleOfSchema, index: start + row }}
                />
              ))}
            </tbody>
          ))}
        </RecordTable>
      ) : (
        <>
          <div style={{ height: window.above }} />
          {shown.map(({ hits, index, start }) => (
            <ol
              key={index}
              data-part={index}
              class="records"
              start={start + 1}
              aria-label={words.search.part(start + 1)}
            >
              {hits.map(hit => (
                <HitEntry key={`${hit.kind} ${hit.record.id}`} {...{ hit, titleOfSchema }} />
              ))}
            </ol>
          ))}
        </>
      )}
      <MoreButton
        label={words.search.more}
        hasMore={hasNextPage}
        isLoading={isFetching}
        load={results.fetchNextPage}
      />
    </div>
  )
}
