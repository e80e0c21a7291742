import type { Page } from '../../../core/records/list-page.js'
import type { Description, Scheme, StoredRecord } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import type { WebLink } from '../../../core/text/web-link.js'
import { parseInstant } from '../../../core/value-types.js'
import { type HtmlPart, html, joined } from '../../../http/html-template.js'
import type { PageUrls } from '../../../http/page-urls/page-urls.js'
import { createdAt } from '../../../http/record-formats/render-json-properties.js'
import type { PageSection } from '../../../http/route-context.js'
import type { UnservedVersion, VersionEntry } from '../../../service/record-history/record-log.js'
import type { DescribedRecord } from '../../exports/datacite/export-context.js'
import { type AdjacentVersions, persistentUrl } from '../../exports/routes/signposting.js'
import { agentName, humanizeConstant, isNobody, languageInWords, titleOf } from './display-names.js'
import { type ComparisonAddress, definitionList, list, renderFirst, time } from './html-layout.js'
import { icon } from './icons.js'
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
    /** Who made each of them and what was said, in the same order. */
    readonly entries: readonly VersionEntry[]
  }
  /** Versions that are not served because their commits break a rule, newest first; with the newest version only. */
  readonly unserved: readonly UnservedVersion[]
  /** Sections that features add. */
  readonly sections: readonly PageSection[]
  readonly signposts: readonly WebLink[]
  /** Undefined: there is no page that compares versions. */
  readonly comparisonOf: ComparisonAddress | undefined
  /** The record for search engines, reference managers and citations. */
  readonly described: DescribedRecord
  /** What the page shows of the record: also what its document says about itself. */
  readonly shown: StoredRecord
  /** The request names a version or a point of history. */
  readonly isPinned: boolean
}

/*
 * The members of the record, in the order in which people look for them. Absent members are omitted.
 */

/** The names of the creators, below the title. */
export function creatorsLine({ creators }: StoredRecord): HtmlPart {
  const names = texts(namesOf(creators))
  return names && names.length > 0 && html`<p class="lead">${icon('person')} ${joined(names, '; ')}</p>\n`
}

function namesOf(agents: StoredRecord['creators']): readonly string[] {
  return withoutDefaults((agents ?? []).map(agentName))
}

/** A record that was stored without a login names `SELF`, which is nobody. */
function withoutDefaults(names: readonly string[]): readonly string[] {
  return names.filter(name => !isNobody(name))
}

/** The descriptions of the record, the abstract first. Single line breaks of their source are spaces. */
export function descriptions({ descriptions: all = [], ...record }: StoredRecord): HtmlPart {
  const title = titleOf({ ...record, descriptions: all })
  const isAbstract = ({ type }: Description) => type === 'ABSTRACT'
  const ordered = [...all.filter(isAbstract), ...all.filter(other => !isAbstract(other))].filter(
    ({ description }) => description !== title,
  )
  return renderFirst(ordered, ({ description = '', type }) => {
    const name =
      type && type !== 'OTHER' && type !== 'ABSTRACT' && html`<strong>${humanizeConstant(type)}:</strong> `
    return paragraphsOf(description).map(
      (text, index) => html`<p class="prose" dir="auto">${index === 0 && name}${text}</p>\n`,
    )
  })
}

/** The paragraphs of a text: an empty line is between them. */
function paragraphsOf(text: string): readonly string[] {
  return text
    .split(/\n[ \t\r]*\n/)
    .map(part => part.trim())
    .filter((part, index) => part !== '' || index === 0)
}

/** What the record is about, and what it belongs to. */
export function subjectDetails(addresses: PageUrls, view: RecordView): HtmlPart {
  const { schema, followers, shown: record } = view
  const { id } = view.revision
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
  return definitionList([
    ['Describes', list(identified(type => type === 'IS_METADATA_FOR'))],
    ['Schema', record.schema && schemaOf(addresses, record.schema, schema)],
    ['Documents that use it', followers !== undefined && followersOf(addresses, id, followers)],
    ['Cite as', identifierLink(record)],
    ['Licence', list(renderFirst(record.rights, licenceLink))],
    [
      'Keywords',
      list(
        renderFirst(record.subjects, ({ value, valueUri, scheme: of }) =>
          joined([linkOrName(value, valueUri), of && linkOrName(of.schemeId, of.schemeUri)], ', '),
        ),
      ),
    ],
    ['Kind of resource', record.resourceType && resourceKind(record.resourceType)],
    ['Language', record.language && languageInWords(record.language)],
    ['Further titles', list(otherTitles(record, titleOf(record)))],
    ['Related', list(identified(type => type !== 'IS_METADATA_FOR'))],
    ['Places', list(renderFirst(record.geoLocations, placeText))],
    ['Sizes', list(texts(record.sizes))],
    ['Formats', list(texts(record.formats))],
  ])
}

function resourceKind({ value, typeGeneral }: NonNullable<StoredRecord['resourceType']>): HtmlPart {
  const general = humanizeConstant(typeGeneral ?? '')
  return value?.toLowerCase() === general.toLowerCase() ? value : joined([value, general], ', ')
}

/** Who made it and who paid for it. */
export function peopleDetails({ shown: record }: RecordView): HtmlPart {
  return definitionList([
    ['Creators', list(texts(namesOf(record.creators)))],
    [
      'Contributors',
      list(
        renderFirst(record.contributors, ({ user, contributionType }) =>
          joined([user && agentName(user), contributionType && humanizeConstant(contributionType)], ', '),
        ),
      ),
    ],
    ['Publisher', list(texts(withoutDefaults(record.publisher === undefined ? [] : [record.publisher])))],
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
  ])
}

/** When it was made, changed and published. */
export function dateDetails({ revision, shown: record }: RecordView): HtmlPart {
  return definitionList([
    ['Year', record.publicationYear],
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
  return html`${link(addresses.page('schema', schemaId, version), html`<span dir="auto">${title}</span>, version ${version}`)} (${link(addresses.download('schema', schemaId, version), 'download')})`
}

function followersOf({ root }: PageUrls, id: string, followers: number): HtmlPart {
  if (followers === 0) return 'none'
  const address = `${root}/metadata-management?schemaId=${encodeURIComponent(id)}`
  return link(address, `${followers} metadata ${followers === 1 ? 'document' : 'documents'}`)
}
