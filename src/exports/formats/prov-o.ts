import { createHash } from 'node:crypto'
import { cleanText } from '../text/clean-text.js'
import { type RdfNode, type RdfProperty, turtleOf, turtlePrefixes } from '../text/rdf.js'

/*
 * The history of a record as PROV-O. It is derived from the commits and stored nowhere. Names of people are told, their
 * e-mail addresses are not.
 * @see https://www.w3.org/TR/prov-o/
 */

/** A commit that changed the record. */
export interface ProvenanceRevision {
  /** Absent for a commit that removed the record. */
  readonly version?: number
  /** Address of the landing page of the version. */
  readonly page?: string
  readonly commit: string
  /** ISO 8601. */
  readonly time: string
  readonly author: string
  readonly subject: string
  /** Address of the landing page of the schema version that validated the document. */
  readonly schema?: string
  /** The record was made REVOKED or GONE. */
  readonly isEnd: boolean
}

export interface ProvenanceHistory {
  /** Address of the landing page of the record. */
  readonly page: string
  /** Names the repository in identifiers of commits. */
  readonly repository: string
  /** The program that made the commits. */
  readonly service: string
  /** Oldest first. */
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
  const service = add({
    iri: urn('service:', sha1(history.service)),
    types: ['prov:SoftwareAgent'],
    properties: [['rdfs:label', { text: withoutAddresses(history.service) }]],
  })
  const versions = versionsOf(history.revisions)
  for (const revision of history.revisions) {
    const author = add({
      iri: urn('author:', authorKey(revision)),
      types: ['prov:Agent'],
      properties: [
        ['rdfs:label', { text: withoutAddresses(revision.author) }],
        ['prov:actedOnBehalfOf', service],
      ],
    })
    add({
      iri: urn('', revision.commit),
      types: ['prov:Activity'],
      properties: [
        ['rdfs:label', { text: withoutAddresses(revision.subject) }],
        ['prov:endedAtTime', { text: revision.time, type: 'xsd:dateTime' }],
        ['prov:wasAssociatedWith', author],
        ...(revision.schema === undefined ? [] : [['prov:used', { iri: revision.schema }] as const]),
      ],
    })
  }
  versions.forEach(({ page, changes, ended }, at) => {
    const first = changes[0]
    const before = versions[at - 1]
    const properties: RdfProperty[] = [['prov:specializationOf', record]]
    if (first) properties.push(['prov:generatedAtTime', { text: first.time, type: 'xsd:dateTime' }])
    if (before) properties.push(['prov:wasRevisionOf', { iri: before.page }])
    for (const { commit } of changes) properties.push(['prov:wasGeneratedBy', { iri: urn('', commit) }])
    for (const { commit } of ended) properties.push(['prov:wasInvalidatedBy', { iri: urn('', commit) }])
    add({ iri: page, types: ['prov:Entity'], properties })
  })
  return turtlePrefixes + turtleOf([...nodes.values()])
}

interface ProvenanceVersion {
  readonly page: string
  readonly changes: ProvenanceRevision[]
  readonly ended: ProvenanceRevision[]
}

/** A version of a schema may have several commits. A commit without a version ends the version before it. */
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
 * Names an author: a hash of the name. A hash of an e-mail address would tell the address to whoever guesses it, so that
 * an author with one is named by the commit.
 */
function authorKey({ author, commit }: ProvenanceRevision): string {
  return withoutAddresses(author) === cleanText(author) ? sha1(author) : commit
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}

/** The text with `…` for each e-mail address, with what stands around it up to the next blank. */
export function withoutAddresses(text: string): string {
  return cleanText(text)
    .split(/(\s+)/)
    .map(word => (/[^@]@[^@]/.test(word) ? '…' : word))
    .join('')
}
