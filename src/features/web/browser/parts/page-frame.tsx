import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Link, useRoute } from 'wouter'
import { Refusal } from '../api/client.js'
import { isChosenPoint, point } from '../api/point.js'
import type { RecordName } from '../api/records.js'
import { RecordLink } from '../reading/record-link.js'
import { words } from '../words.js'
import { PointNote, useIsPoint } from './application-bar.js'
import { useRecord } from './use-record.js'

/** Name of the program: the last part of the title that the server sends. */
const program = document.title.split(' – ').at(-1) ?? ''
/** The first page does not take the focus, because the browser reads the page from its start, unless a person chose a point. */
let isFirstPage = !isChosenPoint

/**
 * What all pages share: one heading, which gets the focus after a change of page, and the title of the window.
 * @param record the record that the page is about, for links to its other pages
 */
export function PageFrame({
  title,
  record,
  children,
}: {
  readonly title: string
  readonly record?: RecordName
  readonly children: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  const asOf = useIsPoint() && point !== undefined ? words.point.asOf(point) : undefined
  useEffect(() => {
    document.title = [title, asOf, program].filter(Boolean).join(' – ')
  }, [title, asOf])
  // Before a person can choose a field: the focus stays there then.
  useLayoutEffect(() => {
    if (!isFirstPage) heading.current?.focus()
    isFirstPage = false
  }, [])
  return (
    <>
      <PointNote />
      {record && <RecordNavigation {...record} />}
      <h1 ref={heading} tabIndex={-1} dir="auto">
        {title}
      </h1>
      {asOf !== undefined && (
        <p class="dim" dir="auto">
          {asOf}
        </p>
      )}
      {children}
    </>
  )
}

let typed = 0
addEventListener('input', () => typed++, { capture: true })

/**
 * Notes which element has the focus, because a late answer must not move the focus while a person does something else.
 * @returns tells whether the person has been idle since: the focus is on the same element or on none, and nothing was typed
 */
export function noteFocus(): () => boolean {
  const [element, before] = [document.activeElement, typed]
  return () => typed === before && [element, document.body].includes(document.activeElement)
}

/** Moves the focus to the heading of the page, after what had it is gone. */
export function focusHeading(): void {
  document.querySelector('h1')?.focus()
}

/** Address of a page of the application about a record, below its base. */
export function recordAddress({ collection, id }: RecordName, page: string, query = ''): string {
  return `/${collection}/${encodeURIComponent(id)}/${page}${query}`
}

function RecordNavigation(record: RecordName) {
  const { error } = useRecord(record, undefined, { enabled: false })
  const [isRead] = useRoute('/:collection/:id')
  const tabs = useRef<HTMLElement>(null)
  // On a narrow screen the row of tabs scrolls.
  useEffect(() => tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [])
  // If the record cannot be read, each of its other pages shows the same error.
  if (error instanceof Refusal && [401, 403, 404, 410].includes(error.status)) return null
  return (
    <nav ref={tabs} aria-label={words.record.navigation} class="pager tabs">
      <RecordLink record={record} isHere={isRead}>
        {words.record.landing}
      </RecordLink>
      <Tab record={record} page="versions" />
      <Tab record={record} page="compare" />
      <Tab record={record} page="blame" />
      {point === undefined && <Tab record={record} page="edit" />}
      {point === undefined && record.collection === 'schemas' && <Tab record={record} page="impact" />}
      {point === undefined && <Tab record={record} page="access" />}
    </nav>
  )
}

function Tab({
  record,
  page,
}: {
  readonly record: RecordName
  readonly page: 'versions' | 'compare' | 'blame' | 'edit' | 'impact' | 'access'
}) {
  const [isHere] = useRoute(`/:collection/:id/${page}`)
  return (
    <Link href={recordAddress(record, page)} aria-current={isHere ? 'page' : undefined}>
      {page === 'edit' && record.collection === 'schemas' ? words.record.revise : words.record[page]}
    </Link>
  )
}
