import { type Schema, schemaRef } from '../../openapi/specification-types.js'
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

/** @see src/service/record-history/diff-and-blame.ts */
export const historySchemas: Readonly<Record<string, Schema>> = {
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
