import { type Schema, schemaRef } from '../../../http/openapi/specification-types.js'
import { closedObject, listOf } from '../../../http/openapi/value-schemas.js'

const text = (description: string): Schema => ({ type: 'string', description })
const key = (description: string): Schema => ({
  type: 'string',
  description: `${description} It is a key of \`types\`.`,
})
const anything = (description: string): Schema => ({ description })

/** The components of the OpenAPI description for outlines. @see SchemaOutline */
export const outlineSchemas: Readonly<Record<string, Schema>> = {
  SchemaOutline: closedObject(
    {
      type: schemaRef('DocumentType'),
      title: { type: 'string' },
      documentation: { type: 'string' },
      namespace: text('The target namespace of an XML schema.'),
      roots: listOf(schemaRef('OutlineMember'), {
        description:
          'The elements with which a document may begin. For JSON there is one, the document, whose name is empty.',
      }),
      types: {
        type: 'object',
        description: 'The types by keys that have no meaning beyond this answer.',
        additionalProperties: schemaRef('OutlineType'),
      },
      complete: {
        type: 'boolean',
        description:
          'False: a limit was reached, or the schema refers to another one that the caller may not read.',
      },
    },
    ['type', 'roots', 'types', 'complete'],
  ),
  OutlineMember: closedObject(
    {
      kind: {
        type: 'string',
        enum: ['member', 'pattern', 'any', 'element', 'attribute'],
        description: '`pattern`: members whose names match `name`. `any`: members with other names.',
      },
      name: { type: 'string' },
      namespace: text('The namespace of an element or attribute.'),
      type: key('Its type. Absent: it may have any value.'),
      min: { type: 'integer', minimum: 0, description: 'How often it must occur at least.' },
      max: { type: 'integer', minimum: 0, description: 'How often it may occur. Absent: there is no limit.' },
      title: { type: 'string' },
      documentation: { type: 'string' },
      default: anything('The value that it has if it is absent.'),
      fixed: anything('The only value.'),
    },
    ['kind', 'name', 'min'],
  ),
  OutlineType: closedObject(
    {
      name: text('The name that the schema gives to the type.'),
      kinds: listOf(
        { type: 'string' },
        { description: 'The types of JSON, or the built-in type of XML Schema of which the text is.' },
      ),
      title: { type: 'string' },
      documentation: { type: 'string' },
      values: listOf(
        closedObject({ value: anything('A permitted value.'), documentation: { type: 'string' } }, ['value']),
        { description: 'The only permitted values.' },
      ),
      facets: {
        type: 'object',
        description: 'Bounds of the values by keyword or facet, such as `pattern`, `minLength`, `format`.',
      },
      members: listOf(schemaRef('OutlineMember'), { description: 'In the order of the schema.' }),
      open: { type: 'boolean', description: 'Whether further members may occur.' },
      text: key('The type of the text of an element with attributes.'),
      mixed: { type: 'boolean', description: 'Whether text may stand between the elements.' },
      items: key('The type of items: of an array, or of a list in a text.'),
      firstItems: listOf(key('The type of an item.'), { description: 'The types of the first items.' }),
      alternatives: listOf(key('A type.'), {
        description: 'A value is of one of these types, or of several.',
      }),
      examples: { type: 'array', items: {} },
      default: anything('The value that it has if it is absent.'),
      deprecated: { type: 'boolean' },
    },
    [],
  ),
}

export const outlineExample = {
  type: 'JSON',
  title: 'Measurement',
  roots: [{ kind: 'member', name: '', min: 1, max: 1, type: '#' }],
  types: {
    '#': {
      kinds: ['object'],
      title: 'Measurement',
      members: [
        { kind: 'member', name: 'title', min: 1, max: 1, type: '#/properties/title' },
        { kind: 'member', name: 'state', min: 0, max: 1, type: '#/properties/state' },
      ],
      open: true,
    },
    '#/properties/title': { kinds: ['string'], documentation: 'A short name.', facets: { minLength: 1 } },
    '#/properties/state': { values: [{ value: 'raw' }, { value: 'corrected' }] },
  },
  complete: true,
}
