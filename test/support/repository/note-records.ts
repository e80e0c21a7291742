import { randomUUID } from 'node:crypto'
import { selfPrincipal } from '../../../src/core/access-control.js'
import type { Revision } from '../../../src/core/records/revision.js'
import { type Id, parseId } from '../../../src/core/value-types.js'
import type { Services } from '../../../src/service/services.js'
import {
  addResource,
  ifMatchAny,
  keepRecord,
  parseTestId,
  testOrigins,
  titleJsonSchema,
  toBuffer,
} from './sample-values.js'

/** A small JSON Schema: an object with a string `title` and an optional integer `pages`. */
export const noteJsonSchema = Buffer.from(
  JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['title'],
    properties: { title: { type: 'string' }, pages: { type: 'integer' } },
  }),
)

/** Makes a document that is valid against {@link noteJsonSchema}. */
export function noteDocument(title: string): Buffer {
  return Buffer.from(JSON.stringify({ title }))
}

export const noteId: Id = parseId('note', 'schemaId')

/** Registers {@link noteJsonSchema} as `note`. */
export function registerNote(services: Services): Promise<Revision> {
  return services.collections.schema.create(
    selfPrincipal,
    { id: noteId, edit: base => base },
    { document: noteJsonSchema },
    { bases: [] },
  )
}

/** Creates a metadata record of the schema `note`. */
export function createNote(
  services: Services,
  title: string,
  options: { readonly id?: string; readonly resource?: string } = {},
): Promise<Revision> {
  const resource = options.resource ?? `https://example.org/${randomUUID()}`
  return services.collections.metadata.create(
    selfPrincipal,
    {
      ...(options.id !== undefined && { id: parseId(options.id, 'id') }),
      schema: { schemaId: noteId },
      edit: base => ({
        ...base,
        relatedIdentifiers: [{ identifierType: 'URL', value: resource, relationType: 'IS_METADATA_FOR' }],
      }),
    },
    { document: noteDocument(title) },
  )
}

/** Replaces the title of a note. */
export function reviseNote(services: Services, revision: Revision, title: string): Promise<Revision> {
  const precondition = { any: false as const, tags: [revision.commit as string] }
  return services.collections.metadata.revise(selfPrincipal, revision.id, precondition, {
    document: noteDocument(title),
  })
}

/** Makes one of the two DELETEs that remove a record. */
export async function removeNote(services: Services, revision: Revision): Promise<void> {
  await services.collections.metadata.remove(selfPrincipal, revision.id, { any: true })
}

/** Stores a schema `note` with a further file, and a document `mine` in two versions. */
export async function storeTwoVersions({ collections }: Services): Promise<void> {
  const files = new Map([['parts/a.json', toBuffer('{}')]])
  await collections.schema.create(
    selfPrincipal,
    { id: parseTestId('note'), edit: keepRecord },
    { document: titleJsonSchema(), files },
    testOrigins,
  )
  await collections.metadata.create(
    selfPrincipal,
    { id: parseTestId('mine'), schema: { schemaId: parseTestId('note') }, edit: addResource('r') },
    { document: toBuffer('{\n  "title": "one"\n}\n') },
  )
  await collections.metadata.revise(selfPrincipal, parseTestId('mine'), ifMatchAny, {
    document: toBuffer('{\n  "title": "two"\n}\n'),
  })
}
