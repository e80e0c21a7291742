import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { standard } from './standards.js'

/*
 * Validation of DataCite JSON. Packages contain a JSON Schema for version 4.3, but none for 4.6. This file adds the
 * later changes: the words of the controlled lists, more members, the publisher is an object, a place has one polygon, and
 * objects have no unknown members.
 * @see https://datacite-metadata-schema.readthedocs.io/en/4.6/
 */

type Node = Readonly<Record<string, unknown>>

const file = standard('..', 'data', 'datacite', 'json', 'kernel-4.3', 'datacite_4.3_schema.json')
const lists = standard('..', 'data', 'datacite', 'xml', 'kernel-4.6', 'include')
let validate: ValidateFunction | undefined

/** @returns faults of a document; empty if the schema is missing */
export function faultsOfDataCiteJson(text: string): readonly string[] {
  if (file === undefined) return []
  validate ??= compiled(JSON.parse(readFileSync(file, 'utf8')) as Node)
  validate(JSON.parse(text))
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

function compiled({ id: _, ...schema }: Node) {
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  // Years before Christ have a sign. @see https://datacite-metadata-schema.readthedocs.io/en/4.6/properties/date/
  ajv.addFormat('year', /^-?\d{4}$/)
  ajv.addFormat('datetime', /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/)
  ajv.addFormat('yearmonth', /^\d{4}-\d\d$/)
  // A range may have ends of two forms, one open end, and years before Christ
  const end = '-?\\d{4}(?:-\\d\\d(?:-\\d\\d(?:T[\\d:.]+(?:Z|[+-]\\d\\d:?\\d\\d)?)?)?)?'
  ajv.addFormat('year-range', new RegExp(`^(?:${end})?/(?:${end})?$`))
  for (const name of ['yearmonth-range', 'date-range', 'datetime-range']) ajv.addFormat(name, /^(?!)/)
  return ajv.compile(withKnownMembers(withLaterMembers(schema)) as Node)
}

/** The words of a controlled list in version 4.6. */
function wordsOf(list: string): { readonly enum: readonly string[] } {
  const text = readFileSync(join(lists ?? '', `datacite-${list}-v4.xsd`), 'utf8')
  return { enum: [...text.matchAll(/enumeration value="([^"]+)"/g)].map(([, word = '']) => word) }
}

const controlledLists = {
  ...{ resourceTypeGeneral: 'resourceType', dateType: 'dateType', contributorType: 'contributorType' },
  ...{ relationType: 'relationType', relatedIdentifierType: 'relatedIdentifierType' },
}
const text = { type: 'string' }

function withLaterMembers(schema: Node): Node {
  const properties = schema.properties as Readonly<Record<string, Node>>
  const { items: subjects } = properties.subjects as { readonly items: { readonly properties: Node } }
  const { items: funding } = properties.fundingReferences as { readonly items: { readonly properties: Node } }
  const { items } = properties.geoLocations as { readonly items: Node }
  const polygonPoint = { $ref: '#/definitions/geoLocationPoint' }
  return {
    ...schema,
    definitions: {
      ...(schema.definitions as Node),
      ...Object.fromEntries(Object.entries(controlledLists).map(([name, list]) => [name, wordsOf(list)])),
    },
    properties: {
      ...properties,
      subjects: {
        ...properties.subjects,
        items: { ...subjects, properties: { ...subjects.properties, classificationCode: text } },
      },
      fundingReferences: {
        ...properties.fundingReferences,
        items: { ...funding, properties: { ...funding.properties, schemeUri: text } },
      },
      relatedItems: { type: 'array' },
      doi: { type: 'string', pattern: '^10[.][0-9]{4,9}/' },
      url: { type: 'string', format: 'uri' },
      contentUrl: { type: 'array', items: { type: 'string', format: 'uri' } },
      publisher: {
        type: 'object',
        properties: {
          name: text,
          lang: text,
          publisherIdentifier: text,
          publisherIdentifierScheme: text,
          schemeUri: text,
        },
        required: ['name'],
      },
      geoLocations: {
        ...properties.geoLocations,
        items: {
          ...items,
          properties: {
            ...(items.properties as Node),
            geoLocationPolygon: {
              type: 'array',
              minItems: 4,
              items: {
                anyOf: [
                  { type: 'object', properties: { polygonPoint }, required: ['polygonPoint'] },
                  {
                    type: 'object',
                    properties: { inPolygonPoint: polygonPoint },
                    required: ['inPolygonPoint'],
                  },
                ],
              },
            },
          },
        },
      },
    },
  }
}

/** Forbids members that the schema does not name, as the schemas since 4.5 do. */
function withKnownMembers(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withKnownMembers)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([name, value]) => [name, withKnownMembers(value)] as const)
  const isObject = 'type' in node && node.type === 'object' && 'properties' in node
  return { ...Object.fromEntries(entries), ...(isObject && { additionalProperties: false }) }
}
