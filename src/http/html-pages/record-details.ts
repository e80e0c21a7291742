import type { Revision } from '../../catalog/catalog.js'
import type { Description, Scheme, StoredRecord } from '../../core/record.js'
import { parseInstant } from '../../core/value-types.js'
import { createdAt } from '../record-formats/render-json-properties.js'
import { agentName, spoken, titleOf } from './display-names.js'
import { facts, list, shown, time } from './html-layout.js'
import { html, joined, type Part } from './html-template.js'
import { foreign, identifierUrl, link } from './identifier-links.js'
import type { Addresses } from './page-urls.js'
import type { RecordView } from './record-page.js'
import { citation } from './signposting.js'

/*
 * The record, member by member: what is not stored is not shown.
 */

/** What the record says in sentences, the abstract first. */
export function descriptions({ descriptions: all = [], ...record }: StoredRecord): Part {
  const title = titleOf({ ...record, descriptions: all })
  const isAbstract = ({ type }: Description) => type === 'ABSTRACT'
  const told = [...all.filter(isAbstract), ...all.filter(other => !isAbstract(other))].filter(
    ({ description }) => description !== title,
  )
  return shown(told, ({ description, type }) => {
    const name = type && type !== 'OTHER' && type !== 'ABSTRACT' && html`<strong>${spoken(type)}:</strong> `
    return html`<p class="prose" dir="auto">${name}${description}</p>\n`
  })
}

/** What the record says about its document, and what is around it. */
export function about(addresses: Addresses, { revision, schema, followers }: RecordView): Part {
  const { record, id } = revision
  const related = record.relatedIdentifiers ?? []
  const identified = (relation: (type: string) => boolean) =>
    shown(
      related.filter(({ relationType }) => relation(relationType)),
      ({ value, identifierType, relationType }) => {
        const target = foreign(value, identifierUrl(value, identifierType))
        return relationType === 'IS_METADATA_FOR' ? target : html`${spoken(relationType)}: ${target}`
      },
    )
  const title = titleOf(record)
  return facts([
    ['Describes', list(identified(type => type === 'IS_METADATA_FOR'))],
    ['Follows the schema', record.schema && schemaOf(addresses, record.schema, schema)],
    ['Documents that follow it', followers !== undefined && followersOf(addresses, id, followers)],
    ['Cite as', pid(record)],
    ['Further titles', list(otherTitles(record, title))],
    ['Creators', list(texts(record.creators?.map(agentName)))],
    [
      'Contributors',
      list(
        shown(record.contributors, ({ user, contributionType }) =>
          joined([user && agentName(user), contributionType && spoken(contributionType)], ', '),
        ),
      ),
    ],
    ['Publisher', record.publisher && foreign(record.publisher, undefined)],
    ['Year', record.publicationYear],
    ['Licence', list(shown(record.rights, licence))],
    [
      'Subjects',
      list(
        shown(record.subjects, ({ value, valueUri, scheme: of }) =>
          joined([scheme(value, valueUri), of && scheme(of.schemeId, of.schemeUri)], ', '),
        ),
      ),
    ],
    [
      'Kind of resource',
      record.resourceType &&
        joined([record.resourceType.value, spoken(record.resourceType.typeGeneral ?? '')], ', '),
    ],
    ['Related', list(identified(type => type !== 'IS_METADATA_FOR'))],
    ['Language', record.language],
    ['Places', list(shown(record.geoLocations, place))],
    ['Sizes', list(texts(record.sizes))],
    ['Formats', list(texts(record.formats))],
    [
      'Funding',
      list(
        shown(
          record.fundingReferences,
          ({ funderName, funderIdentifier, awardNumber, awardTitle, awardUri }) =>
            joined(
              [
                scheme(funderName, identifierUrl(funderIdentifier?.value ?? '')),
                awardTitle,
                scheme(awardNumber?.schemeId, awardUri ?? awardNumber?.schemeUri),
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
        shown(
          record.dates?.filter(({ type }) => type !== 'CREATED'),
          ({ type, value }) => `${spoken(type)}: ${value}`,
        ),
      ),
    ],
    ['Embargo until', record.embargoDate],
  ])
}

function pid(record: StoredRecord): Part {
  const url = citation(record)
  return url === undefined ? record.identifier?.value && unresolved(record) : foreign(url, url)
}

/** A persistent identifier that no resolver of ours knows, or a word that says why there is none. */
function unresolved({ identifier }: StoredRecord): Part {
  if (identifier === undefined || /^\(:\w+\)$/.test(identifier.value)) return undefined
  return joined([foreign(identifier.value, undefined), identifier.identifierType], ', ')
}

function otherTitles({ titles = [] }: StoredRecord, title: string): readonly Part[] | undefined {
  return shown(
    titles.filter(({ value }) => value !== title),
    ({ value, titleType, lang }) =>
      joined([html`<span dir="auto">${value}</span>`, titleType && spoken(titleType), lang], ', '),
  )
}

function texts(values: readonly string[] | undefined): readonly Part[] | undefined {
  return shown(
    values?.filter(value => value !== ''),
    value => foreign(value, undefined),
  )
}

/** By its address, as that says which; a name that is the end of it says nothing more. */
function licence({ schemeId, schemeUri }: Scheme): Part {
  if (!schemeUri) return scheme(schemeId, undefined)
  return joined([!!schemeId && !schemeUri.endsWith(schemeId) && schemeId, scheme(undefined, schemeUri)], ', ')
}

/** A name that leads to its address, or the address alone. */
function scheme(name: string | undefined, uri: string | undefined): Part {
  const text = name || uri
  return text ? foreign(text, identifierUrl(uri || text)) : undefined
}

function place({
  place: name,
  point,
  box,
  polygon,
}: NonNullable<StoredRecord['geoLocations']>[number]): Part {
  return joined(
    [
      name && foreign(name, undefined),
      point && `latitude ${point.latitude}, longitude ${point.longitude}`,
      box &&
        `latitude ${box.southLatitude} to ${box.northLatitude}, longitude ${box.westLongitude} to ${box.eastLongitude}`,
      polygon && `polygon of ${polygon.points.length} points`,
    ],
    '; ',
  )
}

function schemaOf(
  addresses: Addresses,
  { schemaId, version }: NonNullable<StoredRecord['schema']>,
  schema: Revision | undefined,
): Part {
  const title = schema === undefined ? schemaId : titleOf(schema.record)
  return html`${link(addresses.page('schema', schemaId, version), html`<span dir="auto">${title}</span>, version ${version}`)} (${link(addresses.download('schema', schemaId, version), 'its document')})`
}

function followersOf({ root }: Addresses, id: string, followers: number): Part {
  if (followers === 0) return 'none'
  const address = `${root}/metadata-management?schemaId=${encodeURIComponent(id)}`
  return link(address, `${followers} metadata ${followers === 1 ? 'document' : 'documents'}`)
}
