import { useQuery } from '@tanstack/react-query'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter'
import { isEverybody } from '../access/access-edits.js'
import { AccessTable } from '../access/access-list.js'
import { point } from '../api/point.js'
import { type MetastoreRecord, type RecordName, readVersions, schemaOf } from '../api/records.js'
import { useSession } from '../login/login-session.js'
import { Author } from '../parts/author.js'
import { Time } from '../parts/time.js'
import { useSchemaTitles } from '../search/use-titles.js'
import { words } from '../words.js'
import { historyWords } from '../words-of-history.js'
import { peopleWords } from '../words-of-people.js'
import type { Description } from './record-description.js'
import { RecordCitation, RecordDownload } from './record-files.js'
import { landingPage, RecordLink } from './record-link.js'

interface Props {
  readonly name: RecordName
  readonly record: MetastoreRecord
  readonly about: Description | undefined
  /** Whether the document is drawn. What takes requests of its own is read then. */
  readonly isDrawn: boolean
}

/** What is known of a record, beside its document: facts, rights, files, how to cite it. */
export function RecordSide({ name, record, about, isDrawn }: Props) {
  const { caller } = useSession()
  const acls = record.acls ?? []
  const from = encodeURIComponent(name.id)
  return (
    <>
      <Section id="about" title={words.reading.about}>
        <dl>
          <Fact name={words.reading.year} value={about?.year} />
          <Fact
            name={words.reading.licence}
            value={about?.licences.map(licence => <Address key={licence.name} {...licence} />)}
          />
          <Fact name={words.reading.keywords} value={about?.keywords.join(', ')} />
          <Fact
            name={words.resource}
            value={record.relatedIdentifiers
              ?.filter(({ relationType }) => relationType === 'IS_METADATA_FOR')
              .map(({ value }) => <Address key={value} name={value} url={value} />)}
          />
        </dl>
      </Section>
      <Section id="facts" title={words.reading.facts}>
        <RecordFacts {...{ name, record, isDrawn }} />
      </Section>
      <Section id="files" title={words.reading.files}>
        <RecordDownload name={name} version={Number(record.version)} />
        {point === undefined && (
          <p>
            <Link href={name.collection === 'metadata' ? `/new?from=${from}` : `/new?schema=${from}`}>
              {words.reading.fromThis[name.collection]}
            </Link>
          </p>
        )}
        {acls.some(({ sid, permission }) => isEverybody(sid) && permission !== 'NONE') && (
          <p>
            <a href={landingPage(name)}>{words.reading.forEverybody}</a>
          </p>
        )}
      </Section>
      <Section id="cite" title={words.reading.cite}>
        <RecordCitation name={name} version={Number(record.version)} />
      </Section>
      <Section id="rights" title={peopleWords.access.rightsTitle}>
        <AccessTable acls={acls} me={caller} />
      </Section>
    </>
  )
}

function Section({
  id,
  title,
  children,
}: {
  readonly id: string
  readonly title: string
  readonly children: ComponentChildren
}) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** Whether a part of the page has been in the window since what is above it is drawn. */
function useIsSeen(part: RefObject<Element | null>, isDrawn: boolean): boolean {
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    if (!isDrawn) return
    const observer = new IntersectionObserver(entries => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setIsSeen(true)
    })
    if (part.current) observer.observe(part.current)
    return () => observer.disconnect()
  }, [isDrawn])
  return isSeen
}

function RecordFacts({ name, record, isDrawn }: Omit<Props, 'about'>) {
  const list = useRef<HTMLDListElement>(null)
  // On a phone, the facts stand below the document, and many people do not scroll to them.
  const isRead = useIsSeen(list, isDrawn)
  const version = Number(record.version)
  const versions = useQuery({
    queryKey: ['first versions', name.collection, name.id, version],
    queryFn: ({ signal }) => readVersions(name, 0, signal),
    enabled: isRead,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const author = versions.data?.entries.find(entry => entry.version === version)?.author
  const schema = name.collection === 'metadata' ? schemaOf(record) : undefined
  const titleOfSchema = useSchemaTitles(schema && isRead ? [schema.id] : [])
  return (
    <dl ref={list}>
      <Fact
        name={words.schemaChoice.schema}
        value={
          schema && (
            <>
              <RecordLink record={{ collection: 'schemas', id: schema.id }} version={schema.version}>
                {titleOfSchema(schema.id)}
              </RecordLink>
              , {words.schemaChoice.version(schema.version)}
            </>
          )
        }
      />
      <Fact name={peopleWords.access.stateTitle} value={peopleWords.access.state[record.state]} />
      <Fact
        name={historyWords.versions.version}
        value={versions.data ? words.reading.versionOf(version, versions.data.total) : version}
      />
      <Fact
        name={words.search.columns.changed}
        value={
          <>
            <Time instant={record.lastUpdate} />
            {author !== undefined && (
              <>
                , <Author name={author} />
              </>
            )}
          </>
        }
      />
      <Fact name={words.search.columns.id} value={<span class="mono">{record.id}</span>} />
    </dl>
  )
}

/** A name with its value; nothing without a value. */
function Fact({ name, value }: { readonly name: string; readonly value: ComponentChildren }) {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return null
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto">{value}</dd>
    </>
  )
}

/** A text that is a link where it leads to a page: addresses come from records. */
function Address({ name, url }: { readonly name: string; readonly url?: string | undefined }) {
  if (url === undefined || !/^https?:\/\//i.test(url)) return <p>{name}</p>
  return (
    <p>
      <a href={url}>{name}</a>
    </p>
  )
}
