import type { Revision } from '../../catalog/catalog.js'
import type { Page } from '../../core/page.js'
import { type Description, type Scheme, type StoredRecord, stateOf } from '../../core/record.js'
import { type Oid, parseInstant } from '../../core/values.js'
import { createdAt, mimeTypeOf } from '../wire/render.js'
import type { Addresses } from './addresses.js'
import { shownAtMost, sizeText } from './document.js'
import { html, joined, type Part } from './html.js'
import { type Frame, facts, list, page, pager, section, time } from './layout.js'
import { foreign, identifierUrl, link } from './links.js'
import { citation, linkElements, type Neighbours, type Signpost } from './signposting.js'
import { agentName, spoken, titleOf } from './wording.js'

/** What the page of a record shows. */
export interface RecordView {
  /** The version that is shown. */
  readonly revision: Revision
  /** The record as it is today. */
  readonly newest: Revision
  readonly neighbours: Neighbours
  readonly document: {
    /** In bytes. */
    readonly size: number
    /** Undefined where it is too large for a page. */
    readonly text: string | undefined
  }
  /** Paths of the further files of a schema. */
  readonly files: readonly string[]
  /** The schema a document follows, where the caller may read it. */
  readonly schema?: Revision
  /** How many documents follow a schema. */
  readonly followers?: number
  /** Where no version was asked for: all of them, and which page of the list this is. */
  readonly versions?: {
    readonly listed: Page<Revision>
    /** From 1. */
    readonly page: number
    readonly pages: number
    /** Who made a commit. */
    readonly authors: ReadonlyMap<Oid, string>
  }
  readonly signposts: readonly Signpost[]
}

/** The page of a schema or a metadata document: what it is, the document itself, its versions. */
export function recordPage(frame: Frame, addresses: Addresses, view: RecordView): string {
  const { revision, versions } = view
  const { record, kind, documentType, version } = revision
  const title = titleOf(record)
  return page(
    frame,
    `${title} (version ${version})`,
    html`<p class="dim">${kind === 'schema' ? 'Schema' : 'Metadata document'}, ${documentType}</p>
<h1 dir="auto">${title}</h1>
${standing(addresses, view)}
${descriptions(record)}
${section('about', 'About', about(addresses, view))}
${section('document', kind === 'schema' ? 'Schema' : 'Document', documentOf(addresses, view))}
${versions && section('versions', 'Versions', versionTable(addresses, versions))}
${section('technical', 'Technical', technical(view))}
${section('programs', 'For programs', forPrograms(addresses, revision))}`,
    linkElements(view.signposts),
  )
}

/** Which version this is, and what stands against relying on it. */
function standing(addresses: Addresses, { revision, newest, neighbours, versions }: RecordView): Part {
  const { kind, id, version } = revision
  const { previous, next } = neighbours
  const others = [
    previous !== undefined && link(addresses.page(kind, id, previous), `Version ${previous}`),
    next !== undefined && link(addresses.page(kind, id, next), `Version ${next}`),
    versions === undefined && link(addresses.page(kind, id), 'All versions'),
  ]
  return html`<p>Version ${version}${version === newest.version ? ', the newest' : ''}, ${time(revision.time)} <span class="tag">${stateOf(revision.record)}</span></p>
${
  stateOf(newest.record) === 'REVOKED' &&
  html`<p class="notice"><strong>REVOKED.</strong> This record has been deleted. Only those who administer it still see it.</p>`
}
${
  version !== newest.version &&
  html`<p class="notice">This is an older version. ${link(addresses.page(kind, id, newest.version), `Version ${newest.version}`)} is the newest.</p>`
}
${versions === undefined && html`<p class="pager">${joined(others, ' ')}</p>`}`
}

function descriptions({ descriptions: all = [], ...record }: StoredRecord): Part {
  const title = titleOf({ ...record, descriptions: all })
  const isAbstract = ({ type }: Description) => type === 'ABSTRACT'
  return [...all.filter(isAbstract), ...all.filter(other => !isAbstract(other))]
    .filter(({ description }) => description !== title)
    .map(({ description, type }) => {
      const name = type && type !== 'OTHER' && type !== 'ABSTRACT' && html`<strong>${spoken(type)}:</strong> `
      return html`<p class="prose" dir="auto">${name}${description}</p>\n`
    })
}

function about(addresses: Addresses, { revision, schema, followers }: RecordView): Part {
  const { record, id } = revision
  const related = record.relatedIdentifiers ?? []
  const identified = (relation: (type: string) => boolean) =>
    related
      .filter(({ relationType }) => relation(relationType))
      .map(({ value, identifierType, relationType }) => {
        const target = foreign(value, identifierUrl(value, identifierType))
        return relationType === 'IS_METADATA_FOR' ? target : html`${spoken(relationType)}: ${target}`
      })
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
        record.contributors?.map(({ user, contributionType }) =>
          joined([user && agentName(user), contributionType && spoken(contributionType)], ', '),
        ),
      ),
    ],
    ['Publisher', record.publisher && foreign(record.publisher, undefined)],
    ['Year', record.publicationYear],
    ['Licence', list(record.rights?.map(licence))],
    [
      'Subjects',
      list(
        record.subjects?.map(({ value, valueUri, scheme: of }) =>
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
    ['Places', list(record.geoLocations?.map(place))],
    ['Sizes', list(texts(record.sizes))],
    ['Formats', list(texts(record.formats))],
    [
      'Funding',
      list(
        record.fundingReferences?.map(({ funderName, funderIdentifier, awardNumber, awardTitle, awardUri }) =>
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
        record.dates
          ?.filter(({ type }) => type !== 'CREATED')
          .map(({ type, value }) => `${spoken(type)}: ${value}`),
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

function otherTitles({ titles = [] }: StoredRecord, title: string): readonly Part[] {
  return titles
    .filter(({ value }) => value !== title)
    .map(({ value, titleType, lang }) =>
      joined([html`<span dir="auto">${value}</span>`, titleType && spoken(titleType), lang], ', '),
    )
}

function texts(values: readonly string[] | undefined): readonly Part[] | undefined {
  return values?.filter(value => value !== '').map(value => foreign(value, undefined))
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

function documentOf(addresses: Addresses, { revision, document, files }: RecordView): Part {
  const { kind, id, version, documentType } = revision
  return html`<p><a class="button" href="${addresses.download(kind, id, version)}" download>Download, ${documentType}, ${sizeText(document.size)}</a></p>
${
  document.text === undefined
    ? html`<p>It is larger than ${sizeText(shownAtMost)} and not shown here.</p>`
    : html`<pre tabindex="0" role="region" aria-label="The document" dir="ltr"><code>${document.text}</code></pre>`
}
${
  files.length > 0 &&
  html`<p>It comes with further files:</p>
<ul>${files.map(path => html`<li>${link(addresses.file(id, path, version), path)}</li>`)}</ul>`
}`
}

function versionTable(
  addresses: Addresses,
  { listed, page: number, pages, authors }: NonNullable<RecordView['versions']>,
): Part {
  const [{ kind, id } = {}] = listed.items
  if (kind === undefined || id === undefined) return undefined
  const rows = listed.items.map(
    ({ version, time: when, commit }) => html`<tr>
<td>${link(addresses.page(kind, id, version), `Version ${version}`)}</td>
<td>${time(when)}</td>
<td dir="auto">${authors.get(commit)}</td>
<td>${link(addresses.download(kind, id, version), 'Document')}</td>
</tr>
`,
  )
  return html`<table>
<thead><tr><th scope="col">Version</th><th scope="col">When</th><th scope="col">Who</th><th scope="col">Download</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
${pager(number, pages, wanted => `${addresses.page(kind, id)}&page=${wanted}`)}`
}

function technical({ revision }: RecordView): Part {
  const { record, id, commit, documentHash, documentType } = revision
  return facts([
    ['Id', html`<span class="mono">${id}</span>`],
    [
      'Also known as',
      list(
        record.alternateIdentifiers?.map(({ value, identifierType }) =>
          joined([foreign(value, identifierUrl(value, identifierType)), identifierType], ', '),
        ),
      ),
    ],
    ['State', stateOf(record)],
    ['Media type', mimeTypeOf[documentType]],
    ['Hash', html`<span class="mono">sha1:${documentHash}</span>`],
    ['Commit (ETag)', html`<span class="mono">${commit}</span>`],
    ['Access', list(record.acls?.map(({ sid, permission }) => `${sid}: ${permission}`))],
  ])
}

/** What to type: links cannot say which representation is wanted. */
function forPrograms(addresses: Addresses, { kind, id, version }: Revision): Part {
  const url = addresses.item(kind, id, version)
  return html`<p>The record, then the document, byte for byte:</p>
<pre tabindex="0" role="region" aria-label="Commands" dir="ltr"><code>curl -H 'Accept: ${addresses.recordTypes[kind]}' '${url}'
curl '${url}'</code></pre>`
}
