import { type Schema, schemaRef } from '../../../http/openapi/specification-types.js'
import { closedObject, listOf } from '../../../http/openapi/value-schemas.js'
import { originMembers } from '../../../http/routes/records/history-of-record.js'

const effect: Readonly<Record<string, Schema>> = {
  effect: {
    type: 'string',
    enum: ['neutral', 'compatible', 'breaking'],
    description: 'For a schema: the effect of the change on documents that are valid against it.',
  },
  reason: { type: 'string', description: 'Why the change is compatible or breaking.' },
}
const pointer: Schema = { type: 'string', description: 'JSON Pointer (RFC 6901).' }
const anything: Schema = {}

/** The meaning of the problem `unprocessable`. */
export const undecodableMeaning = 'The server cannot decode the encoding of the XML document.'

/** The components of the OpenAPI description for differences and blame. */
export const differenceSchemas: Readonly<Record<string, Schema>> = {
  Origin: closedObject(originMembers),
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
      value: { description: 'The value after the change.' },
      before: { description: 'The value before the change.' },
      ...effect,
    },
    ['op', 'path'],
    { description: 'An operation of a JSON Patch (RFC 6902), with the previous value.' },
  ),
  XmlChange: closedObject(
    {
      op: { type: 'string', enum: ['add', 'remove', 'replace'] },
      path: {
        type: 'string',
        description: 'XPath of names with their prefixes. A position counts siblings of the same name.',
        examples: ['/parcel/weight[2]/@unit', '/parcel/content[1]/text()[1]'],
      },
      position: {
        type: 'integer',
        minimum: 1,
        description: 'For an added node: its position among the child nodes, from 1.',
      },
      value: { type: 'string', description: 'The XML of an element; the text of another node.' },
      before: { type: 'string', description: 'The previous node, in the same form.' },
      ...effect,
    },
    ['op', 'path'],
    { description: 'A change of an XML document. Apply the changes in their order.' },
  ),
  Difference: closedObject(
    {
      from: schemaRef('Origin'),
      to: schemaRef('Origin'),
      effect: { ...effect.effect, description: 'For a schema: the effect of all changes together.' },
      record: listOf(schemaRef('JsonChange'), {
        description: 'Changes of the record in the form of this version of the interface.',
      }),
      document: closedObject(
        {
          type: schemaRef('DocumentType'),
          changes: listOf(
            { anyOf: [schemaRef('JsonChange'), schemaRef('XmlChange')] },
            { description: 'Absent if one document is JSON and the other XML.' },
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
        { description: 'For a schema: its further files. Their content is not compared.' },
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
          ...originMembers,
        }),
      ),
      cut: {
        ...schemaRef('Version'),
        description:
          'The oldest version that was compared, if there were too many. Members with this version may be older.',
      },
    },
    ['version', 'type', 'members'],
  ),
}
