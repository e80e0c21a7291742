import type { Page } from '../../../core/records/list-page.js'
import type { Description, Scheme, StoredRecord } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import type { WebLink } from '../../../core/text/web-link.js'
import { type Oid, parseInstant } from '../../../core/value-types.js'
import { type HtmlPart, html, joined } from '../../../http/html-template.js'
import type { PageUrls } from '../../../http/page-urls/page-urls.js'
import { createdAt } from '../../../http/record-formats/render-json-properties.js'
import type { PageSection } from '../../../http/route-context.js'
import type { UnservedVersion } from '../../../service/record-history/record-log.js'
import type { DescribedRecord } from '../../exports/datacite/export-context.js'
import { type AdjacentVersions, persistentUrl } from '../../exports/routes/signposting.js'
import { agentName, humanizeConstant, titleOf } from './display-names.js'
import { definitionList, list, renderFirst, time } from './html-layout.js'
import { identifierUrl, link, userLink } from './identifier-links.js'

/** What the page of a record shows. */
export interface RecordView {
  /** The version that is shown. */
  readonly revision: Revision
  /** Today's version of the record. */
  readonly newest: Revision
  readonly neighbours: AdjacentVersions
  /** The requested point of history, as the request names it; undefined: today. */
  readonly at?: string
  readonly document: {
    /** Size in bytes. */
    readonly size: number
    /** Undefined if the document is too large for a page. */
    readonly text: string | undefined
    /** The document drawn by its schema; nothing if it is not drawn. */
    readonly drawn: HtmlPart
  }
  /** Paths of the further files of a schema. */
  readonly files: readonly string[]
  /** The schema that the document follows, if the caller may read it. */
  readonly schema?: Revision
  /** Number of documents that follow the shown schema today. */
  readonly followers?: number
  /** The list of versions, if the request names no version and no point of history. */
  readonly versions?: {
    readonly listed: Page<Revision>
    /** Number of the page of the list, from 1. */
    readonly page: number
    readonly pages: number
    /** Authors by commit. */
    readonly authors: ReadonlyMap<Oid, string>
  }
  /** Versions that are not served because their commits break a rule, newest first; with the newest version only. */
  readonly unserved: readonly UnservedVersion[]
  /** Sections that features add. */
  readonly sections: readonly PageSection[]
  readonly signposts: readonly WebLink[]
  /** The record for search engines, reference managers and citations. */
  readonly described: DescribedRecord
  /** What the page shows of the record: also what its document says about itself. */
  readonly shown: StoredRecord
  /** The request names a version or a point of history. */
  readonly isPinned: boolean
}

/*
 * The members of the record. Absent members are omitted.
 */

/** The descriptions of the record, the abstract first. */
export function descriptions({ descriptions: all = [], ...record }: StoredRecord): HtmlPart {
  const title = titleOf({ ...record, descriptions: all })
  const isAbstract = ({ type }: Description) => type === 'ABSTRACT'
  const ordered = [...all.filter(isAbstract), ...all.filter(other => !isAbstract(other))].filter(
    ({ description }) => description !== title,
  )
  return renderFirst(ordered, ({ description, type }) => {
    const name =
      type && type !== 'OTHER' && type !== 'ABSTRACT' && html`<strong>${humanizeConstant(type)}:</strong> `
    return html`<p class="prose" dir="auto">${name}${description}</p>\n`
  })
}

/** The other members of the record, with related records. */
export function recordDetails(addresses: PageUrls, view: RecordView): HtmlPart {
  const { revision, schema, followers, shown: record } = view
  const { id } = revision
  const related = record.relatedIdentifiers ?? []
  const identified = (relation: (type: string) => boolean) =>
    renderFirst(
      related.filter(({ relationType }) => relation(relationType)),
      ({ value, identifierType, relationType }) => {
        const target = userLink(value, identifierUrl(value, identifierType))
        return relationType === 'IS_METADATA_FOR'
          ? target
          : html`${humanizeConstant(relationType)}: ${target}`
      },
    )
  const title = titleOf(record)
  return definitionList([
    ['Describes', list(identified(type => type === 'IS_METADATA_FOR'))],
    ['Follows the schema', record.schema && schemaOf(addresses, record.schema, schema)],
    ['Documents that follow it', followers !== undefined && followersOf(addresses, id, followers)],
    ['Cite as', identifierLink(record)],
    ['Further titles', list(otherTitles(record, title))],
    ['Creators', list(texts(record.creators?.map(agentName)))],
    [
      'Contributors',
      list(
        renderFirst(record.contributors, ({ user, contributionType }) =>
          joined([user && agentName(user), contributionType && humanizeConstant(contributionType)], ', '),
        ),
      ),
    ],
    ['Publisher', record.publisher && userLink(record.publisher, undefined)],
    ['Year', record.publicationYear],
    ['Licence', list(renderFirst(record.rights, licenceLink))],
    [
      'Subjects',
      list(
        renderFirst(record.subjects, ({ value, valueUri, scheme: of }) =>
          joined([linkOrName(value, valueUri), of && linkOrName(of.schemeId, of.schemeUri)], ', '),
        ),
      ),
    ],
    [
      'Kind of resource',
      record.resourceType &&
        joined([record.resourceType.value, humanizeConstant(record.resourceType.typeGeneral ?? '')], ', '),
    ],
    ['Related', list(identified(type => type !== 'IS_METADATA_FOR'))],
    ['Language', record.language],
    ['Places', list(renderFirst(record.geoLocations, placeText))],
    ['Sizes', list(texts(record.sizes))],
    ['Formats', list(texts(record.formats))],
    [
      'Funding',
      list(
        renderFirst(
          record.fundingReferences,
          ({ funderName, funderIdentifier, awardNumber, awardTitle, awardUri }) =>
            joined(
              [
                linkOrName(funderName, identifierUrl(funderIdentifier?.value ?? '')),
                awardTitle,
                linkOrName(awardNumber?.schemeId, awardUri ?? awardNumber?.schemeUri),
              ],
              ', ',
            ),
        ),
      ),
    ],
    ['Created', time(parseInstant(createdAt(revision), 'CREATED'))],
    ['Last update', time(revision.time)],
    [
      'Further dates',
      list(
        renderFirst(
          record.dates?.filter(({ type }) => type !== 'CREATED'),
          ({ type, value }) => `${humanizeConstant(type)}: ${value}`,
        ),
      ),
    ],
    ['Embargo until', record.embargoDate],
  ])
}

function identifierLink(record: StoredRecord): HtmlPart {
  const url = persistentUrl(record)
  return url === undefined ? record.identifier?.value && unresolvedIdentifier(record) : userLink(url, url)
}

/**
 * A persistent identifier without a known resolver; nothing for a code like `(:unav)`, which says why there is none.
 */
function unresolvedIdentifier({ identifier }: StoredRecord): HtmlPart {
  if (identifier === undefined || /^\(:\w+\)$/.test(identifier.value)) return undefined
  return joined([userLink(identifier.value, undefined), identifier.identifierType], ', ')
}

function otherTitles({ titles = [] }: StoredRecord, title: string): readonly HtmlPart[] | undefined {
  return renderFirst(
    titles.filter(({ value }) => value !== title),
    ({ value, titleType, lang }) =>
      joined([html`<span dir="auto">${value}</span>`, titleType && humanizeConstant(titleType), lang], ', '),
  )
}

function texts(values: readonly string[] | undefined): readonly HtmlPart[] | undefined {
  return renderFirst(
    values?.filter(value => value !== ''),
    value => userLink(value, undefined),
  )
}

/** The URL of a licence, and its name unless the URL ends with it. */
function licenceLink({ schemeId, schemeUri }: Scheme): HtmlPart {
  if (!schemeUri) return linkOrName(schemeId, undefined)
  return joined(
    [!!schemeId && !schemeUri.endsWith(schemeId) && schemeId, linkOrName(undefined, schemeUri)],
    ', ',
  )
}

/** A name with a link, or the URL if there is no name. */
function linkOrName(name: string | undefined, uri: string | undefined): HtmlPart {
  const text = name || uri
  return text ? userLink(text, identifierUrl(uri || text)) : undefined
}

function placeText({
  place: name,
  point,
  box,
  polygon,
}: NonNullable<StoredRecord['geoLocations']>[number]): HtmlPart {
  return joined(
    [
      name && userLink(name, undefined),
      point && `latitude ${point.latitude}, longitude ${point.longitude}`,
      box &&
        `latitude ${box.southLatitude} to ${box.northLatitude}, longitude ${box.westLongitude} to ${box.eastLongitude}`,
      polygon && `polygon of ${polygon.points.length} points`,
    ],
    '; ',
  )
}

function schemaOf(
  addresses: PageUrls,
  { schemaId, version }: NonNullable<StoredRecord['schema']>,
  schema: Revision | undefined,
): HtmlPart {
  const title = schema === undefined ? schemaId : titleOf(schema.record)
  return html`${link(addresses.page('schema', schemaId, version), html`<span dir="auto">${title}</span>, version ${version}`)} (${link(addresses.download('schema', schemaId, version), 'its document')})`
}

function followersOf({ root }: PageUrls, id: string, followers: number): HtmlPart {
  if (followers === 0) return 'none'
  const address = `${root}/metadata-management?schemaId=${encodeURIComponent(id)}`
  return link(address, `${followers} metadata ${followers === 1 ? 'document' : 'documents'}`)
}
