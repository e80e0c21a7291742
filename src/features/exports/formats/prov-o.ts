import { hash } from 'node:crypto'
import { cleanText } from '../../../core/text/clean-text.js'
import { type RdfNode, type RdfProperty, resource, turtleOf, turtlePrefixes } from './rdf.js'

/*
 * The history of a record as PROV-O, derived from the commits. It contains the names of people, but not their e-mail
 * addresses.
 * @see https://www.w3.org/TR/prov-o/
 */

/** A commit that changed the record. */
interface ProvenanceRevision {
  /** Absent for a commit that removed the record. */
  readonly version?: number
  /** Address of the landing page of the version. */
  readonly page?: string
  readonly commit: string
  /** When the commit was recorded, in ISO 8601. */
  readonly time: string
  /** ISO 8601 time at which another repository made the version; undefined if the version was not imported. */
  readonly originalTime?: string
  readonly author: string
  /** Whether the service made the commit for the author. */
  readonly isByService: boolean
  readonly subject: string
  /** Address of the landing page of the schema version that validated the document. */
  readonly schema?: string
  /** Whether the commit made the record REVOKED or GONE. */
  readonly isEnd: boolean
}

interface ProvenanceHistory {
  /** Address of the landing page of the record. */
  readonly page: string
  /** Name of the repository in the identifiers of commits. */
  readonly repository: string
  /** The program that commits for authors. */
  readonly service: string
  /** The commits that changed the record, the oldest first. */
  readonly revisions: readonly ProvenanceRevision[]
}

/** Turtle of a record's history. */
export function provenanceTurtle(history: ProvenanceHistory): string {
  const urn = (kind: string, name: string) =>
    `urn:git:${encodeURIComponent(withoutAddresses(history.repository)) || 'repository'}:${kind}${name}`
  const nodes = new Map<string, RdfNode>()
  const add = (node: RdfNode & { readonly iri: string }) => {
    if (!nodes.has(node.iri)) nodes.set(node.iri, node)
    return { iri: node.iri }
  }
  const record = add({ iri: history.page, types: ['prov:Entity'] })
  const service: RdfNode & { readonly iri: string } = {
    iri: urn('service:', hash('sha1', history.service)),
    types: ['prov:SoftwareAgent'],
    properties: [['rdfs:label', { text: withoutAddresses(history.service) }]],
  }
  const authorIri = (revision: ProvenanceRevision) => urn('author:', authorKey(revision))
  for (const [iri, { name, commits }] of authorsOf(history.revisions, authorIri)) {
    add({
      iri,
      types: ['prov:Agent'],
      properties: [
        ['rdfs:label', { text: withoutAddresses(name) }],
        ['prov:actedOnBehalfOf', commits.length > 0 ? add(service) : undefined],
        ...commits.map(commit => delegation(service, urn('', commit))),
      ],
    })
  }
  for (const revision of history.revisions) {
    add({
      iri: urn('', revision.commit),
      types: ['prov:Activity'],
      properties: [
        ['rdfs:label', { text: withoutAddresses(revision.subject) }],
        ['prov:endedAtTime', { text: revision.time, type: 'xsd:dateTime' }],
        ['prov:wasAssociatedWith', { iri: authorIri(revision) }],
        ['prov:used', resource(revision.schema)],
      ],
    })
  }
  const versions = versionsOf(history.revisions)
  versions.forEach(({ page, changes, ended }, index) => {
    const generated = changes[0]?.originalTime ?? changes[0]?.time
    const before = versions[index - 1]
    const properties: RdfProperty[] = [['prov:specializationOf', record]]
    if (generated) properties.push(['prov:generatedAtTime', { text: generated, type: 'xsd:dateTime' }])
    if (before) properties.push(['prov:wasRevisionOf', { iri: before.page }])
    for (const { commit } of changes) properties.push(['prov:wasGeneratedBy', { iri: urn('', commit) }])
    for (const { commit } of ended) properties.push(['prov:wasInvalidatedBy', { iri: urn('', commit) }])
    add({ iri: page, types: ['prov:Entity'], properties })
  })
  return turtlePrefixes + turtleOf([...nodes.values()])
}

/** States that an author acted on behalf of the service in a commit: others the author may have made with plain git. */
function delegation({ iri }: { readonly iri: string }, commit: string): RdfProperty {
  const properties: readonly RdfProperty[] = [
    ['prov:agent', { iri }],
    ['prov:hadActivity', { iri: commit }],
  ]
  return ['prov:qualifiedDelegation', { types: ['prov:Delegation'], properties }]
}

/** Each author, with the commits that the service made for the author. */
function authorsOf(
  revisions: readonly ProvenanceRevision[],
  iriOf: (revision: ProvenanceRevision) => string,
): ReadonlyMap<string, { readonly name: string; readonly commits: string[] }> {
  const authors = new Map<string, { readonly name: string; readonly commits: string[] }>()
  for (const revision of revisions) {
    const iri = iriOf(revision)
    const author = authors.get(iri) ?? { name: revision.author, commits: [] }
    authors.set(iri, author)
    if (revision.isByService) author.commits.push(revision.commit)
  }
  return authors
}

interface ProvenanceVersion {
  readonly page: string
  readonly changes: ProvenanceRevision[]
  readonly ended: ProvenanceRevision[]
}

/**
 * Groups revisions by version. A schema's version may have several commits; a commit without a version ends the last.
 */
function versionsOf(revisions: readonly ProvenanceRevision[]): readonly ProvenanceVersion[] {
  const versions: ProvenanceVersion[] = []
  for (const revision of revisions) {
    const last = versions.at(-1)
    if (revision.page !== undefined && revision.page !== last?.page)
      versions.push({ page: revision.page, changes: [revision], ended: [] })
    else if (revision.page !== undefined) last?.changes.push(revision)
    if (revision.isEnd) versions.at(-1)?.ended.push(revision)
  }
  return versions
}

/**
 * The key of an author: a hash of the name. If the name contains an e-mail address, the key is the commit of the
 * revision, because a hash would confirm a guessed address.
 */
function authorKey({ author, commit }: ProvenanceRevision): string {
  return withoutAddresses(author) === cleanText(author) ? hash('sha1', author) : commit
}

/** The text with `…` in place of each word that contains an e-mail address. */
export function withoutAddresses(text: string): string {
  return cleanText(text)
    .split(/(\s+)/)
    .map(word => (/[^@]@[^@]/.test(word) ? '…' : word))
    .join('')
}
