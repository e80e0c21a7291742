import { createHash } from 'node:crypto'
import { type Id, toVersion } from '../../src/core/values.js'
import { encodeRecord } from '../../src/store/codec.js'

/** A schema and documents of some 2 KB that are valid against it; the same number gives the same record. */
export const benchSchemaId = 'specimen' as Id

export const benchSchema = Buffer.from(
  JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A specimen and how it was measured',
    type: 'object',
    required: ['title', 'creators', 'measurements'],
    additionalProperties: false,
    properties: {
      title: { type: 'string', minLength: 1 },
      creators: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string' },
            affiliation: { type: 'string' },
            orcid: { type: 'string', pattern: '^[0-9X-]+$' },
          },
        },
      },
      description: { type: 'string' },
      keywords: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      measurements: {
        type: 'array',
        items: {
          type: 'object',
          required: ['quantity', 'value', 'unit'],
          properties: {
            quantity: { enum: ['mass', 'length', 'voltage', 'temperature'] },
            value: { type: 'number' },
            unit: { type: 'string' },
          },
        },
      },
    },
  }),
)

/** A UUID that depends on the number alone. */
export function uuid(number: number): Id {
  const hex = createHash('sha1').update(`record ${number}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}` as Id
}

/** A document of some 2 KB. */
export function benchDocument(number: number): Buffer {
  const words = createHash('sha512').update(`document ${number}`).digest('hex')
  return Buffer.from(
    JSON.stringify({
      title: `Specimen ${number}`,
      creators: [
        {
          name: `Person ${number % 97}`,
          affiliation: 'Institute of Applied Measurement',
          orcid: '0000-0002-1825-0097',
        },
        { name: `Person ${number % 89}`, affiliation: 'Laboratory for Electron Microscopy' },
      ],
      description: `${words} ${'A specimen that was prepared, measured and described. '.repeat(14)}`,
      keywords: [`k${number % 13}`, `l${number % 17}`, `m${number % 19}`],
      measurements: Array.from({ length: 10 }, (_, at) => ({
        quantity: 'voltage',
        value: number / (at + 1),
        unit: 'kV',
      })),
    }),
  )
}

/** `record.json` of the record with the number. */
export function benchRecord(number: number): Buffer {
  return encodeRecord({
    id: uuid(number),
    schema: { schemaId: benchSchemaId, version: toVersion(1) },
    relatedIdentifiers: [
      { identifierType: 'URL', value: benchResource(number), relationType: 'IS_METADATA_FOR' },
    ],
    acls: [{ sid: 'SELF', permission: 'ADMINISTRATE' }],
  })
}

export function benchResource(number: number): string {
  return `https://example.org/specimens/${number}`
}
