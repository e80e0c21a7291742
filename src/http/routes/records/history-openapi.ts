import type { DescribedApiVersion } from '../../openapi/api-version.js'
import { problemResponsesFor } from '../../openapi/problem-responses.js'
import {
  headerRef,
  type Paths,
  parameterRef,
  type Schema,
  schemaRef,
} from '../../openapi/specification-types.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'

const author: Schema = { type: 'string', description: 'Name of the commit’s author.' }
const origin: Readonly<Record<string, Schema>> = {
  version: schemaRef('Version'),
  commit: schemaRef('Commit'),
  time: schemaRef('Instant'),
  author,
}
const effect: Readonly<Record<string, Schema>> = {
  effect: {
    type: 'string',
    enum: ['neutral', 'compatible', 'breaking'],
    description: 'Of a change of a schema: what it means for documents that are valid against it.',
  },
  reason: { type: 'string', description: 'Why it is compatible or breaking.' },
}
const pointer: Schema = { type: 'string', description: 'JSON Pointer (RFC 6901).' }
const anything: Schema = {}

/** @see Lineage */
export const lineageSchemas: Readonly<Record<string, Schema>> = {
  Origin: closedObject(origin),
  VersionEntry: closedObject({
    ...origin,
    message: { type: 'string', description: 'First line of the commit’s message.' },
    recordHash: { ...schemaRef('Hash'), description: 'Of the record as it is stored, `record.json`.' },
    documentHash: schemaRef('Hash'),
    links: closedObject(
      {
        version: { type: 'string', format: 'uri', description: 'The record and its document.' },
        diff: { type: 'string', format: 'uri', description: 'What changed since the version before.' },
      },
      ['version'],
    ),
  }),
  Operation: {
    description: 'An operation of a JSON Patch (RFC 6902).',
    oneOf: [
      closedObject({ op: { enum: ['add', 'replace'] }, path: pointer, value: anything }),
      closedObject({ op: { const: 'remove' }, path: pointer }),
    ],
  },
  JsonChange: closedObject(
    {
      op: { type: 'string', enum: ['add', 'remove', 'replace'] },
      path: pointer,
      value: { description: 'What is there afterwards.' },
      before: { description: 'What was there before.' },
      ...effect,
    },
    ['op', 'path'],
    { description: 'An operation of a JSON Patch (RFC 6902), with what it does away with.' },
  ),
  XmlChange: closedObject(
    {
      op: { type: 'string', enum: ['add', 'remove', 'replace'] },
      path: {
        type: 'string',
        description: 'XPath of names as they are written, counted among siblings of the same name.',
        examples: ['/parcel/weight[2]/@unit', '/parcel/content[1]/text()[1]'],
      },
      position: {
        type: 'integer',
        minimum: 1,
        description: 'Of a node that is added: its place among the child nodes.',
      },
      value: { type: 'string', description: 'XML of an element, else the text of the node.' },
      before: { type: 'string', description: 'The same, of what was there before.' },
      ...effect,
    },
    ['op', 'path'],
    { description: 'A change of an XML document, to be made after those before it.' },
  ),
  Difference: closedObject(
    {
      from: schemaRef('Origin'),
      to: schemaRef('Origin'),
      effect: { ...effect.effect, description: 'Of a schema: that of all changes together.' },
      record: listOf(schemaRef('JsonChange'), {
        description: 'Changes of the record as this version of the interface shows it.',
      }),
      document: closedObject(
        {
          type: schemaRef('DocumentType'),
          changes: listOf(
            { anyOf: [schemaRef('JsonChange'), schemaRef('XmlChange')] },
            { description: 'Missing where the document was of the other language before.' },
          ),
        },
        ['type'],
      ),
      files: listOf(
        closedObject({
          op: { type: 'string', enum: ['add', 'remove', 'replace'] },
          path: { type: 'string' },
          ...effect,
        }),
        { description: 'Of a schema: the files it comes with. What is in them is not compared.' },
      ),
    },
    ['from', 'to', 'record', 'document'],
  ),
  Blame: closedObject(
    {
      version: schemaRef('Version'),
      type: schemaRef('DocumentType'),
      members: listOf(
        closedObject({
          path: {
            type: 'string',
            description: 'JSON Pointer of a value; XPath of an element or attribute.',
          },
          ...origin,
        }),
      ),
      cut: {
        ...schemaRef('Version'),
        description:
          'The oldest version that was looked at, where there were too many: what is said to be of it may be older.',
      },
    },
    ['version', 'type', 'members'],
  ),
}

const example = {
  version: 2,
  commit: '5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a',
  time: '2026-03-14T09:26:53.59Z',
  author: 'SELF',
}
const undecodable = 'The XML document is in an encoding that cannot be read here.'
const hash = 'sha1:400dd55bc0a4a2d10ab5dc1c3bf0af46a5ba8efa'

/** What became of a record from version to version. */
export function lineagePaths(api: DescribedApiVersion): Paths {
  const { version, prefix } = api
  const servers = api.servers ? { servers: api.servers } : {}
  return Object.fromEntries(
    [
      { collection: 'schemas', name: 'Schema', id: 'schemaId', tag: 'Schemas', what: 'the schema' },
      { collection: 'metadata', name: 'Metadata', id: 'metadataId', tag: 'Metadata', what: 'the document' },
    ].flatMap(({ collection, name, id, tag, what }) => {
      const path = `${prefix}/${collection}/{id}`
      const common = { ...servers, parameters: [parameterRef(id)] }
      const tags = [`${tag}, version ${version}`]
      const url = `http://localhost:8040${path.replace('{id}', 'sample')}`
      const problems = {
        'not-found':
          'There is no such record or version, or was none at the point `at`; or it is REVOKED and the caller may not see it.',
      } as const
      const versions = {
        tags,
        operationId: `versionsOf${name}V${version}`,
        summary: 'List versions, and who made them',
        description: 'Every version, newest first, in its last state: its commit, time, author and message.',
        parameters: ['page', 'size', 'at', 'after'].map(parameterRef),
        responses: {
          200: {
            description: 'One page of the list.',
            headers: { 'Content-Range': headerRef('ContentRange'), Link: headerRef('PageLinks') },
            content: {
              'application/json': {
                schema: listOf(schemaRef('VersionEntry')),
                examples: {
                  one: {
                    value: [
                      {
                        ...example,
                        message: 'Update metadata sample to version 2 (measurement, version 1)',
                        recordHash: hash,
                        documentHash: hash,
                        links: { version: `${url}?version=2`, diff: `${url}/diff?from=1&to=2` },
                      },
                    ],
                  },
                },
              },
            },
          },
          ...problemResponsesFor({ ...problems, 'not-acceptable': true, 'page-out-of-range': true }),
        },
      }
      const diff = {
        tags,
        operationId: `diffOf${name}V${version}`,
        summary: 'Compare two versions',
        description:
          `What changed, as \`Accept\` asks: \`application/json\` the changes of the record and, part by part, of ${what}; ` +
          `\`application/json-patch+json\` those of ${what} alone, where it is JSON; \`text/x-diff\` all files as unified text.` +
          (name === 'Schema' ? ' Each change of a schema has its effect on documents that follow it.' : ''),
        parameters: ['fromVersion', 'toVersion', 'at'].map(parameterRef),
        responses: {
          200: {
            description: 'The changes; none where the two are the same.',
            content: {
              'application/json': { schema: schemaRef('Difference') },
              'application/json-patch+json': { schema: listOf(schemaRef('Operation')) },
              'text/x-diff': { schema: { type: 'string' } },
            },
          },
          ...problemResponsesFor({
            ...problems,
            'not-acceptable':
              '`Accept` names none of the types, or a JSON Patch is asked for and the document is XML.',
            'too-large':
              'The document is too large to be compared part by part, or the files to be compared as text.',
            unprocessable: undecodable,
          }),
        },
      }
      const blame = {
        tags,
        operationId: `blameOf${name}V${version}`,
        summary: 'Say who changed each part last',
        description: `For each member of ${what}: the version that changed it last, its commit, time and author.`,
        parameters: [parameterRef('version'), parameterRef('at')],
        responses: {
          200: {
            description: 'The members in the order of the document.',
            content: {
              'application/json': {
                schema: schemaRef('Blame'),
                examples: {
                  one: { value: { version: 2, type: 'JSON', members: [{ path: '/title', ...example }] } },
                },
              },
            },
          },
          ...problemResponsesFor({
            ...problems,
            'not-acceptable': true,
            'too-large': 'The document is too large, or has too many parts.',
            unprocessable: undecodable,
          }),
        },
      }
      return [
        [`${path}/versions`, { ...common, get: versions }],
        [`${path}/diff`, { ...common, get: diff }],
        [`${path}/blame`, { ...common, get: blame }],
      ]
    }),
  )
}
