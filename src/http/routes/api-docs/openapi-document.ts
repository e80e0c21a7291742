import type { DescribedApiVersion, DescribedRecord } from '../../openapi/api-version.js'
import { parameters } from '../../openapi/parameters.js'
import { problemResponses, problemSchemas } from '../../openapi/problem-responses.js'
import { version1Examples, version1Schemas } from '../../openapi/record-v1-schemas.js'
import { version2Examples, version2Schemas } from '../../openapi/record-v2-schemas.js'
import { headers } from '../../openapi/response-headers.js'
import { type Description, type Paths, parameterRef, type Server } from '../../openapi/specification-types.js'
import { valueSchemas } from '../../openapi/value-schemas.js'
import type { WireFormat } from '../../record-formats/record-format-interface.js'
import { v1 } from '../../record-formats/v1/record-format.js'
import { v2 } from '../../record-formats/v2/record-format.js'
import { defaultUploadLimits, type UploadLimits } from '../../request/multipart-form.js'
import { changesPaths, changesSchemas } from '../changes/change-feed-openapi.js'
import { changeSetPaths, changeSetSchemas } from '../changes/change-set-openapi.js'
import { gitPaths } from '../git/smart-http-openapi.js'
import { pagePaths, pageSchemas } from '../html-pages/page-openapi.js'
import { operationPaths, operationSchemas } from '../operations/monitoring-openapi.js'
import { lineagePaths, lineageSchemas } from '../records/history-openapi.js'
import { impactPaths, impactSchemas } from '../records/impact-openapi.js'
import { metadataPaths } from '../records/metadata-openapi.js'
import { schemaPaths } from '../records/schema-openapi.js'
import { frontendPaths, frontendSchemas } from '../records/table-openapi.js'
import { descriptionPaths } from './docs-openapi.js'
import { introduction } from './introduction.js'

/** Where the description is asked for. */
export interface DescriptionOptions {
  /** What comes before every path, without a slash at the end. */
  readonly base: string
  /** The mount that is offered first, as a proxy may pass on nothing else; default: the root. */
  readonly mount?: string
  /** In bytes. */
  readonly limits?: UploadLimits
}

/**
 * Describes everything that is served, for tools and for people. Each path stands there once; what it can have in
 * front is said by the servers.
 * @see https://spec.openapis.org/oas/v3.1.0
 */
export function buildOpenApiDocument({
  base,
  mount = '',
  limits = defaultUploadLimits,
}: DescriptionOptions): Description {
  function serversOf(wire: WireFormat, prefix: string): readonly Server[] {
    const mounts = wire.mounts.map(each => each.slice(0, -prefix.length))
    return [mount, ...mounts.filter(other => other !== mount)].map(each => ({
      url: base + each || '/',
      description: about[each as keyof typeof about] ?? 'The same',
    }))
  }
  const servers = serversOf(v1, '/api/v1')
  const version1: DescribedApiVersion = { version: 1, wire: v1, prefix: '/api/v1', limits, records: records1 }
  const version2: DescribedApiVersion = {
    version: 2,
    wire: v2,
    prefix: '/api/v2',
    servers: serversOf(v2, '/api/v2'),
    limits,
    records: records2,
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'MetaStore interface of git-metastore',
      version: '2',
      summary: 'A repository for metadata schemas and metadata documents.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers,
    security: [{}, { bearer: [] }],
    tags: [
      {
        name: 'Schemas, version 2',
        description: 'JSON Schemas and XML Schemas, with citation-style records.',
      },
      { name: 'Metadata, version 2', description: 'Documents about resources, with citation-style records.' },
      { name: 'Schemas, version 1', description: 'JSON Schemas and XML Schemas, with flat records.' },
      { name: 'Metadata, version 1', description: 'Documents about resources, with flat records.' },
      {
        name: 'Changes',
        description: 'What was changed, in order; and several changes as one.',
      },
      { name: 'Pages', description: 'For people, in a browser; they need no JavaScript.' },
      { name: 'Frontends', description: 'What existing frontends read.' },
      { name: 'Git', description: 'What git clients speak.' },
      { name: 'Operation', description: 'For those who run the service.' },
      { name: 'Description', description: 'What you are reading.' },
    ],
    paths: withPreference({
      ...schemaPaths(version2),
      ...metadataPaths(version2),
      ...lineagePaths(version2),
      ...impactPaths(version2),
      ...schemaPaths(version1),
      ...metadataPaths(version1),
      ...lineagePaths(version1),
      ...impactPaths(version1),
      ...changesPaths,
      ...changeSetPaths,
      ...pagePaths({ url: base || '/', description: about[''] }),
      ...frontendPaths(version1),
      ...gitPaths,
      ...operationPaths,
      ...descriptionPaths,
    }),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'A token signed with the secret of the server (`git-metastore token` makes one), or by the issuer it trusts. ' +
            'A server that was started without `--auth` asks for none, and looks at none.',
        },
        password: {
          type: 'http',
          scheme: 'basic',
          description: 'For git clients: a token as the password, with any name.',
        },
      },
      schemas: {
        ...version2Schemas,
        ...version1Schemas,
        ...valueSchemas,
        ...lineageSchemas,
        ...impactSchemas,
        ...changesSchemas,
        ...changeSetSchemas,
        ...pageSchemas,
        ...frontendSchemas,
        ...operationSchemas,
        ...problemSchemas,
      },
      responses: problemResponses,
      parameters,
      headers,
    },
  }
}

/** Every operation looks at the names in a request. */
function withPreference(paths: Paths): Paths {
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      { ...item, parameters: [...(item.parameters ?? []), parameterRef('prefer')] },
    ]),
  )
}

const about = {
  '': 'Paths as they are described',
  '/metastore': 'Below /metastore, as clients of other servers of this interface expect it',
  '/repository': 'Below /repository, where the interface has its version 2',
} as const

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
