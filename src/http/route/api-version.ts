import type { Collection } from '../../core/records/collection.js'
import { version1Examples } from '../openapi/record-v1-schemas.js'
import { version2Examples } from '../openapi/record-v2-schemas.js'
import type { WireFormat } from '../record-formats/record-format-interface.js'
import { v1 } from '../record-formats/v1/record-format.js'
import { v2 } from '../record-formats/v2/record-format.js'
import type { UploadLimits } from '../request/multipart-form.js'

/** One version of the interface, as its paths are described. */
export interface DescribedApiVersion {
  readonly version: 1 | 2
  readonly wire: WireFormat
  /** What its paths begin with; other mounts are other servers. */
  readonly prefix: string
  readonly limits: UploadLimits
  /** The records of each kind, as components. */
  readonly records: Readonly<Record<Collection, DescribedRecord>>
}

export interface DescribedRecord {
  /** Name of the component of an answer, and of a request. */
  readonly shown: string
  readonly sent: string
  readonly shownExample: unknown
  readonly sentExample: unknown
  /** Members a request that creates one must have. */
  readonly required: readonly string[]
  /** A sentence about what a PUT does with members that are absent. */
  readonly absent: string
}

/** Both versions of the interface. @param limits of uploads, in bytes */
export function describedApiVersions(limits: UploadLimits): readonly DescribedApiVersion[] {
  return [
    { version: 2, wire: v2, prefix: '/api/v2', limits, records: records2 },
    { version: 1, wire: v1, prefix: '/api/v1', limits, records: records1 },
  ]
}

const records1: DescribedApiVersion['records'] = {
  schema: {
    shown: 'SchemaRecord',
    sent: 'SentSchemaRecord',
    shownExample: version1Examples.SchemaRecord,
    sentExample: version1Examples.SentSchemaRecord,
    required: ['schemaId'],
    absent:
      '`label`, `definition`, `comment` and `licenseUri` are removed where the record does not have them.',
  },
  metadata: {
    shown: 'MetadataRecord',
    sent: 'SentMetadataRecord',
    shownExample: version1Examples.MetadataRecord,
    sentExample: version1Examples.SentMetadataRecord,
    required: ['relatedResource', 'schema'],
    absent: 'Members that are absent stay as they are; null removes `licenseUri` and `pid`.',
  },
}

const record2: Pick<DescribedRecord, 'shown' | 'sent' | 'absent'> = {
  shown: 'Record',
  sent: 'SentRecord',
  absent:
    'The record replaces the stored one: what it does not have is removed, except for `creators`, `publisher`, ' +
    '`publicationYear`, `resourceType`, `state` and `acls`, which stay, and the date `CREATED`, which never changes.',
}

const records2: DescribedApiVersion['records'] = {
  schema: {
    ...record2,
    shownExample: version2Examples.schema,
    sentExample: version2Examples.sentSchema,
    required: ['id', 'titles'],
  },
  metadata: {
    ...record2,
    shownExample: version2Examples.metadata,
    sentExample: version2Examples.sentMetadata,
    required: ['titles', 'relatedIdentifiers'],
  },
}
