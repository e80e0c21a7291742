import type { Collection } from '../../core/records/collection.js'
import type { UploadLimits } from '../forms/upload-limits.js'
import { version1Examples, version2Examples } from '../openapi/record-examples.js'
import type { Operation } from '../openapi/specification-types.js'
import type { RecordFormat } from '../record-formats/record-format-interface.js'
import { v1 } from '../record-formats/v1/record-format.js'
import { v2 } from '../record-formats/v2/record-format.js'

/** A version of the interface, for the declarations of its routes. */
export interface DescribedApiVersion {
  readonly recordFormat: RecordFormat
  /** Prefix of the paths in the description, by {@link prefixOf}. Other mounts are servers of the description. */
  readonly prefix: string
  readonly limits: UploadLimits
  readonly records: Readonly<Record<Collection, RecordDescription>>
}

/** What the description says of one kind of record in a version of the interface. */
interface RecordDescription {
  /** Names of the components for responses and requests. */
  readonly responseSchema: string
  readonly requestSchema: string
  readonly responseExample: unknown
  readonly requestExample: Readonly<Record<string, unknown>>
  /** Members that a new record must have. */
  readonly required: readonly string[]
  /** A sentence on what a PUT does with members that the sent record lacks. */
  readonly absent: string
}

/** The versions of the interface in the order of the OpenAPI description. @param limits of uploads, in bytes */
export function describedApiVersions(limits: UploadLimits): readonly DescribedApiVersion[] {
  const described = [
    { recordFormat: v2, records: records2 },
    { recordFormat: v1, records: records1 },
  ]
  return described.map(each => ({ prefix: prefixOf(each.recordFormat.version), limits, ...each }))
}

/** Prefix of the paths of a version in the description. */
export function prefixOf(version: RecordFormat['version']): string {
  return `/api/v${version}`
}

/** Tag and operation id of a route that each interface version has. @param name without the version: `listSchemas` */
export function operationIn(
  { recordFormat: { version } }: Pick<DescribedApiVersion, 'recordFormat'>,
  kind: Collection,
  name: string,
): Pick<Operation, 'tags' | 'operationId'> {
  return { tags: [`${tags[kind]}, version ${version}`], operationId: `${name}V${version}` }
}

const tags: Readonly<Record<Collection, string>> = { schema: 'Schemas', metadata: 'Metadata' }

const records1: DescribedApiVersion['records'] = {
  schema: {
    responseSchema: 'SchemaRecord',
    requestSchema: 'SentSchemaRecord',
    responseExample: version1Examples.SchemaRecord,
    requestExample: version1Examples.SentSchemaRecord,
    required: ['schemaId'],
    absent: '`label`, `definition`, `comment` and `licenseUri` are removed if the sent record lacks them.',
  },
  metadata: {
    responseSchema: 'MetadataRecord',
    requestSchema: 'SentMetadataRecord',
    responseExample: version1Examples.MetadataRecord,
    requestExample: version1Examples.SentMetadataRecord,
    required: ['relatedResource', 'schema'],
    absent: 'Absent members keep their values; null removes `licenseUri` and `pid`.',
  },
}

const record2: Pick<RecordDescription, 'responseSchema' | 'requestSchema' | 'absent'> = {
  responseSchema: 'Record',
  requestSchema: 'SentRecord',
  absent:
    'The sent record replaces the stored one: members that it lacks are removed. Exceptions are `creators`, ' +
    '`publisher`, `publicationYear`, `resourceType`, `state` and `acls`, which keep their values, and the date ' +
    '`CREATED`, which never changes.',
}

const records2: DescribedApiVersion['records'] = {
  schema: {
    ...record2,
    responseExample: version2Examples.schema,
    requestExample: version2Examples.sentSchema,
    required: ['id', 'titles'],
  },
  metadata: {
    ...record2,
    responseExample: version2Examples.metadata,
    requestExample: version2Examples.sentMetadata,
    required: ['titles', 'relatedIdentifiers'],
  },
}
