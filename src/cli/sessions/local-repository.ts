import { selfPrincipal } from '../../core/access-control.js'
import type { Precondition } from '../../core/precondition.js'
import { pageWindow } from '../../core/records/list-page.js'
import type { ListQuery } from '../../core/records/list-query.js'
import { relatedResources } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import { formatInstant, type Id, parseInstant, type Version } from '../../core/value-types.js'
import { v1 } from '../../http/record-formats/v1/record-format.js'
import { attachedFiles } from '../../service/rules/schema-source.js'
import type { Services } from '../../service/services.js'
import type { Filters, RecordSummary, Session } from './session.js'
import { isUnknownRecord, unknownInBoth } from './unknown-record.js'

/** A session with a repository on this disk. A server may run on the repository meanwhile. */
export function localSession(services: Services, bases: readonly string[]): Session {
  return {
    ...localReading(services, bases),
    ...localListing(services),
    ...localUpdates(services, { bases }),
    validate: async (id, version, document) =>
      (await services.collections.schema.validate(selfPrincipal, id, version, document)).findings,
  }
}

function localReading(
  services: Services,
  bases: readonly string[],
): Pick<Session, 'find' | 'document' | 'furtherFiles' | 'record'> {
  const again = (entry: RecordSummary): Revision =>
    revisionOf(services, entry.id as Id, entry.version as Version)
  return {
    find: async (id, version) => entryOf(revisionOf(services, id, version)),
    document: entry => services.readDocument(again(entry)),
    async furtherFiles(entry) {
      const revision = again(entry)
      const paths = [...attachedFiles(revision).keys()]
      const read = async (path: string) =>
        [path, await services.collections.schema.file(revision, path)] as const
      return new Map(await Promise.all(paths.map(read)))
    },
    async record(entry) {
      return v1.render(again(entry), `${bases[0] ?? ''}/api/v1`)
    },
  }
}

function localListing({ collections, audit }: Services): Pick<Session, 'list'> {
  return {
    async list(kind, filters) {
      const window = pageWindow(filters.page, filters.size)
      const page = collections[kind].list(selfPrincipal, queryOf(filters), window)
      const isBroken = audit.brokenRecords()
      const entries = page.items.map(revision => ({
        ...entryOf(revision),
        ...(isBroken(revision) && { isBroken: true as const }),
      }))
      return { entries, total: page.total }
    },
  }
}

function localUpdates(
  { collections: { schema: schemas, metadata }, changeSets }: Services,
  origins: { readonly bases: readonly string[] },
): Pick<Session, 'register' | 'reviseSchema' | 'add' | 'reviseMetadata'> {
  return {
    register: async (id, upload) =>
      entryOf(await schemas.create(selfPrincipal, { id, edit: record => record }, upload, origins)),
    async reviseSchema(id, change, tag, message) {
      if (message === undefined)
        return entryOf(await schemas.revise(selfPrincipal, id, precondition(tag), change, origins))
      const update = { action: 'update', name: id, precondition: precondition(tag) } as const
      await changeSets.apply(selfPrincipal, [{ kind: 'schema', ...update, update: change, origins }], message)
      return entryOf(schemas.read(selfPrincipal, id))
    },
    async add({ id, schemaId, schemaVersion, resource, document }) {
      const schema = { schemaId, ...(schemaVersion === undefined ? {} : { version: schemaVersion }) }
      // Reads the schema first, so that an unknown schema is `not-found` and not an invalid document.
      schemas.read(selfPrincipal, schemaId, schemaVersion)
      const related = {
        identifierType: resource.identifierType,
        value: resource.identifier,
        relationType: 'IS_METADATA_FOR',
      }
      const draft = {
        ...(id === undefined ? {} : { id }),
        schema,
        edit: (base: Revision['record']) => ({
          ...base,
          relatedIdentifiers: [...(base.relatedIdentifiers ?? []), related],
        }),
      }
      return entryOf(await metadata.create(selfPrincipal, draft, { document }))
    },
    async reviseMetadata(id, { document, schemaId, schemaVersion }, tag, message) {
      const named =
        schemaId ??
        (schemaVersion === undefined ? undefined : metadata.read(selfPrincipal, id).record.schema?.schemaId)
      if (named !== undefined) schemas.read(selfPrincipal, named, schemaVersion)
      const schema = named && {
        schemaId: named,
        ...(schemaVersion === undefined ? {} : { version: schemaVersion }),
      }
      const draft = schema && { schema, edit: (base: Revision['record']) => base }
      const change = { document, ...(draft === undefined ? {} : { draft }) }
      if (message === undefined)
        return entryOf(await metadata.revise(selfPrincipal, id, precondition(tag), change))
      const update = { action: 'update', name: id, precondition: precondition(tag) } as const
      await changeSets.apply(
        selfPrincipal,
        [{ kind: 'metadata', ...update, update: change, origins }],
        message,
      )
      return entryOf(metadata.read(selfPrincipal, id))
    },
  }
}

/** A version of a metadata record, or of a schema if no metadata record has the id. @param version default: newest */
export function revisionOf({ collections }: Services, id: Id, version?: Version): Revision {
  try {
    return collections.metadata.read(selfPrincipal, id, version)
  } catch (error) {
    if (!isUnknownRecord(error, 'metadata', id)) throw error
  }
  try {
    return collections.schema.read(selfPrincipal, id, version)
  } catch (error) {
    throw isUnknownRecord(error, 'schema', id) ? unknownInBoth(id) : error
  }
}

export function entryOf(revision: Revision): RecordSummary {
  const { kind, id, version, documentType, record, commit } = revision
  return {
    kind,
    id,
    version,
    type: documentType,
    ...(record.schema === undefined ? {} : { schema: record.schema }),
    ...(kind === 'schema' ? {} : { resources: relatedResources(record) }),
    lastUpdate: formatInstant(revision.time),
    hash: `sha1:${revision.documentHash}`,
    commit,
  }
}

function queryOf(filters: Filters): ListQuery {
  const { types, schemaIds, resources, from, until } = filters
  return {
    ...(types.length === 0 ? {} : { documentTypes: types }),
    ...(schemaIds.length === 0 ? {} : { schemaIds }),
    ...(resources.length === 0 ? {} : { resources }),
    ...(from === undefined ? {} : { from: parseInstant(from, '--from') }),
    ...(until === undefined ? {} : { until: parseInstant(until, '--until') }),
  }
}

function precondition(tag: string | undefined): Precondition {
  return tag === undefined ? { any: true } : { any: false, tags: [tag] }
}
