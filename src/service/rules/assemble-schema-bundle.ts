import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../../core/access-control.js'
import type { Finding } from '../../core/problem.js'
import type { DocumentType } from '../../core/records/collection.js'
import { type CatalogQueries, schemaRevisions } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import { asVersion, isId, type Oid, trimEnd, type Version } from '../../core/value-types.js'
import { type BlobReader, copyIfShared } from '../../store/blobs/blob-reader.js'
import { blobId } from '../../store/objects/hash-object.js'
import { findFileNameFaults } from '../../store/records/repository-layout.js'
import { limitFindings } from '../../validation/findings.js'
import { segmentsOfUrl } from '../../validation/reference-resolver.js'
import type { FileReference, SchemaBundle, Validator, Work } from '../../validation/validator.js'
import { findSchemaVersion, isReadable, type SchemaName } from './record-rules.js'
import { type FindRegisteredFiles, openRegisteredFiles } from './registered-files.js'
import { attachedFiles, type FollowedSource, followReferences, type SchemaSource } from './schema-source.js'

/** A reference of a new schema to a registered schema. */
export interface ResolvedReference {
  readonly name: SchemaName
  /** The version to which the name was resolved. */
  readonly version: Version
}

/** A schema with everything that it refers to. */
export interface AssembledBundle {
  readonly bundle: SchemaBundle
  /** References that cannot be resolved, or lead back to the schema. */
  readonly findings: readonly Finding[]
  /** The direct references to registered schemas. */
  readonly resolved: readonly ResolvedReference[]
}

/** The caller who registers a schema, and the base URLs that lead to registered schemas. */
export interface RegistrationContext {
  readonly caller: Principal
  readonly bases: readonly string[]
}

/** Resolves the references of schemas: to their own files, then to registered schemas, by id or URL. */
export interface BundleAssembler {
  /**
   * The bundle of a stored schema version. A reference without a version means the version that was newest when the
   * schema was registered, so that the bundle never changes.
   * @throws ProblemError `unprocessable` with findings if a file cannot be parsed
   */
  ofStored(queries: CatalogQueries, schema: Revision, work?: Work): Promise<SchemaBundle>
  /** The version of a registered schema that a reference of a stored schema version means. */
  referredTo(queries: CatalogQueries, from: Revision, name: SchemaName): Revision | undefined
  /**
   * The bundle of a schema that is about to be registered, or that was committed with git.
   * @param by undefined: permissions are not checked, and URLs of any host can lead to registered schemas
   * @throws ProblemError `unprocessable` with findings if a file cannot be parsed
   */
  ofNew(
    queries: CatalogQueries,
    source: SchemaSource,
    by?: RegistrationContext,
    work?: Work,
  ): Promise<AssembledBundle>
}

/** Limit of the cache in bytes of schema documents and files. */
const capacity = 64 * 1024 * 1024

export function openBundleAssembler(
  documents: BlobReader,
  validator: Pick<Validator, 'references'>,
): BundleAssembler {
  const findRegisteredFiles = openRegisteredFiles(documents)
  // After a change of the record alone, the same bundle is made once more, because the commit differs. The commit alone
  // is no key: a commit made with git, such as the first one of the example repository, can have many schemas.
  const keyOf = (schema: Revision) => `${schema.id} ${schema.commit}`
  const cache = new LRUCache<string, SchemaBundle>({ maxSize: capacity, sizeCalculation: sizeOf })

  /** The bundle of a stored schema version. @param path the schema versions whose references lead to it */
  async function open(
    queries: CatalogQueries,
    schema: Revision,
    path: readonly string[],
    work?: Work,
  ): Promise<SchemaBundle> {
    const found = cache.get(keyOf(schema))
    if (found) return found
    const { sequence } = firstOf(queries, schema)
    const assembled = await join(
      queries,
      await sourceOf(documents, schema),
      undefined,
      ({ id, version }) => queries.schemaAsOf(id, version, sequence),
      [...path, pathStep(schema)],
      work,
    )
    // An incomplete bundle is not cached, so that each validation finds the missing reference.
    if (assembled.findings.length === 0) cache.set(keyOf(schema), assembled.bundle)
    return assembled.bundle
  }

  async function join(
    queries: CatalogQueries,
    given: SchemaSource,
    by: RegistrationContext | undefined,
    find: (name: SchemaName) => Revision | undefined,
    path: readonly string[],
    work?: Work,
  ): Promise<AssembledBundle> {
    const { source, references } = await followAll(
      { documents, validator, findRegisteredFiles },
      queries,
      given,
      by,
      work,
    )
    const registered = new Map<string, SchemaBundle>()
    const findings: Finding[] = []
    const resolved: ResolvedReference[] = []
    for (const reference of references.missing) {
      const name = nameIn(reference.target, by?.bases)
      const schema = name && find(name)
      if (!name || !schema) {
        findings.push(unresolved(reference, source.type, by !== undefined))
      } else if (path.includes(pathStep(schema)) || (path.length === 0 && isItself(name, source))) {
        findings.push(finding(reference, 'leads back to the schema itself.'))
      } else if (schema.documentType !== source.type) {
        findings.push(finding(reference, `means a schema of the other language, ${schema.documentType}.`))
      } else {
        registered.set(reference.target, await open(queries, schema, path, work))
        resolved.push({ name, version: schema.version })
      }
    }
    return { bundle: bundleOf(source, registered), findings: limitFindings(findings), resolved }
  }

  return {
    ofStored: (queries, schema, work) => open(queries, schema, [], work),
    referredTo: (queries, from, { id, version }) =>
      queries.schemaAsOf(id, version, firstOf(queries, from).sequence),
    ofNew: (queries, source, by, work) =>
      join(
        queries,
        source,
        by,
        name => {
          const found = current(queries, name)
          // Validation errors would reveal the content of a schema that the caller may not read.
          const today = by && found && queries.newest('schema', found.id)
          return today && !isReadable(by.caller, today.record) ? undefined : found
        },
        [],
        work,
      ),
  }
}

interface BundleParts {
  readonly documents: BlobReader
  readonly validator: Pick<Validator, 'references'>
  readonly findRegisteredFiles: FindRegisteredFiles
}

/** Follows the references of a schema, also those by the URL of another place to registered schemas. */
async function followAll(
  { documents, validator, findRegisteredFiles }: BundleParts,
  queries: CatalogQueries,
  given: SchemaSource,
  by: RegistrationContext | undefined,
  work?: Work,
): Promise<FollowedSource> {
  let followed = await followReferences(validator, given, work)
  // A file that is found may have such references, too.
  for (let isDone = by === undefined; !isDone; ) {
    const { source, references } = followed
    isDone = true
    for (const reference of by ? references.missing : []) {
      if (by === undefined || nameIn(reference.target, by.bases)) continue
      const found = await findRegisteredFiles(queries, by.caller, source, reference)
      const added =
        found && [...(await readFiles(documents, found))].filter(([path]) => !source.files.has(path))
      const files = new Map([...source.files, ...(added ?? [])])
      if (!added?.length || findFileNameFaults('schema', files.keys()).length > 0) continue
      followed = await followReferences(validator, { ...source, files }, work)
      isDone = false
      break
    }
  }
  return followed
}

/** Says whether a reference still resolves to the same version. */
export function stillResolves(queries: CatalogQueries, { name, version }: ResolvedReference): boolean {
  return current(queries, name)?.version === version
}

function current(queries: CatalogQueries, name: SchemaName): Revision | undefined {
  const found = findSchemaVersion(queries, name)
  return 'problem' in found ? undefined : found
}

/** The first revision of a schema version. Later ones changed the record only. */
function firstOf(queries: CatalogQueries, schema: Revision): Revision {
  let first = schema
  for (const earlier of schemaRevisions(queries, schema)) {
    if (earlier.version !== schema.version) break
    first = earlier
  }
  return first
}

/** Whether a name without a version is the id of the new schema, which has no version yet. */
function isItself(name: SchemaName, source: SchemaSource): boolean {
  return name.id === source.id && name.version === undefined
}

function pathStep(schema: Revision): string {
  return `${schema.id} ${schema.version}`
}

async function sourceOf(documents: BlobReader, schema: Revision): Promise<SchemaSource> {
  return {
    id: schema.id,
    type: schema.documentType,
    document: copyIfShared(await documents.read(schema.document)),
    files: await readFiles(documents, attachedFiles(schema)),
  }
}

export async function readFiles(
  documents: BlobReader,
  files: ReadonlyMap<string, Oid>,
): Promise<ReadonlyMap<string, Buffer>> {
  const read = [...files].map(async ([path, oid]) => [path, copyIfShared(await documents.read(oid))] as const)
  return new Map(await Promise.all(read))
}

const ourPath = /\/api\/v[12]\/schemas\/([^/]+)(?:\/versions\/(\d+)\/files\/)?$/
const versionQuery = /^(?:\?version=([1-9]\d{0,14}))?$/

/**
 * Parses a reference to a registered schema: `common`, `common?version=2`, or the URL of a schema on this server, with
 * any path before `/api`.
 */
function nameIn(target: string, bases: readonly string[] | undefined): SchemaName | undefined {
  const query = target.indexOf('?')
  const bare = query < 0 ? target : target.slice(0, query)
  if (isId(bare)) return schemaNameOf(bare, query < 0 ? '' : target.slice(query))
  if (!URL.canParse(target)) return undefined
  const url = new URL(target)
  const [, found, number] = ourPath.exec(url.pathname) ?? []
  const known =
    bases?.some(base => URL.canParse(base) && url.href.startsWith(`${trimEnd(new URL(base).href, '/')}/`)) ??
    /^https?:$/.test(url.protocol)
  return known && found !== undefined
    ? schemaNameOf(decodePart(found), number === undefined ? url.search : `?version=${number}`)
    : undefined
}

function schemaNameOf(id: string | undefined, query: string): SchemaName | undefined {
  const version = versionQuery.exec(query)
  if (id === undefined || !isId(id) || !version) return undefined
  return version[1] === undefined ? { id } : { id, version: asVersion(Number(version[1])) }
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** @param isRequest whether the schema comes with a request, which is also answered with registered schemas by URL */
function unresolved(reference: FileReference, type: DocumentType, isRequest: boolean): Finding {
  const advice = adviceFor(reference, type, isRequest)
  return finding(reference, `is neither one of its files nor a registered schema. ${advice}`)
}

function adviceFor(
  { target, path, namespace }: FileReference,
  type: DocumentType,
  isRequest: boolean,
): string {
  const segments = segmentsOfUrl(target)
  const paths = segments ? [segments.at(-1) ?? '', segments.join('/')] : [path ?? '']
  const names = paths
    .filter(name => findFileNameFaults('schema', [name]).length === 0)
    .map(name => `"${name}"`)
  const add = isRequest
    ? 'Upload the file with the schema, as a part include with the file name'
    : 'Add the file as'
  if (segments && segments.length > 1 && names.length > 0) {
    const identity = type === 'JSON' ? 'this $id' : namespace && `the target namespace "${namespace}"`
    const register = isRequest && identity ? `, or register a schema with ${identity} first` : ''
    return `${add} ${names.join(' or ')}${register}.`
  }
  if (path === undefined) {
    return /^[a-z][a-z0-9+.-]*:/i.test(target)
      ? 'Register that schema first, or write the path of a file that you upload with the schema.'
      : 'The path leads out of the folder of the schema document. Send the document under a file name with its folders, and the other files under paths from the same folder.'
  }
  const itself = isRequest ? ' If it is the schema document itself, give the part schema this file name.' : ''
  const register = isId(target) ? ', or register a schema with this id first' : ''
  return names.length > 0 ? `${add} ${names.join(' or ')}${register}.${itself}` : 'Rename the file.'
}

function finding(reference: FileReference, what: string): Finding {
  const from = reference.file === undefined ? 'The schema' : `Its file "${reference.file}"`
  return {
    message: `${from} refers to "${reference.target}", which ${what}`,
    ...(reference.file === undefined ? {} : { file: reference.file }),
    ...(reference.line === undefined ? {} : { line: reference.line }),
    ...(reference.pointer === undefined ? {} : { path: reference.pointer }),
  }
}

function bundleOf(source: SchemaSource, registered: ReadonlyMap<string, SchemaBundle>): SchemaBundle {
  const { id, type, document, files } = source
  const parts = [
    [type, blobId(document)],
    [...files].map(([path, bytes]) => [path, blobId(bytes)]).sort(byName),
    [...registered].map(([target, bundle]) => [target, bundle.key]).sort(byName),
  ]
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return { key, id, type, document, files, registered }
}

function byName([a = '']: string[], [b = '']: string[]): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Bytes of a bundle, without the bundles that it refers to, which have their own entries in the cache. */
function sizeOf(bundle: SchemaBundle): number {
  const files = [...bundle.files.values()]
  return files.reduce((size, file) => size + file.length, 1000 + bundle.document.length)
}
