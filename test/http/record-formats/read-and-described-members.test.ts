// test-schedule: quick
import { expect } from 'chai'
import { ProblemError } from '../../../src/core/problem.js'
import type { StoredRecord } from '../../../src/core/records/record.js'
import { recordJsonSchema } from '../../../src/core/records/record-json-schema.js'
import type { Revision } from '../../../src/core/records/revision.js'
import type { Id, Instant, Oid, Sha1, Version } from '../../../src/core/value-types.js'
import type { JsonObject, RecordFormat } from '../../../src/http/record-formats/record-format-interface.js'
import { v1 } from '../../../src/http/record-formats/v1/record-format.js'
import { v2 } from '../../../src/http/record-formats/v2/record-format.js'
import { interfaceDescription } from '../../support/http/interface-description.js'

const { schemas } = interfaceDescription().components

const newRecords = {
  schema1: { schemaId: 'a' },
  metadata1: {
    relatedResource: { identifier: 'https://example.org/a', identifierType: 'URL' },
    schema: { identifier: 'a', identifierType: 'INTERNAL' },
  },
  schema2: { id: 'a', titles: [{ value: 'A' }] },
  metadata2: {
    titles: [{ value: 'A' }],
    relatedIdentifiers: [
      { value: 'https://example.org/a', identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
      { value: 'a', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
    ],
  },
}

const forms: readonly (readonly [
  title: string,
  component: string,
  record: JsonObject,
  parse: (json: JsonObject) => unknown,
])[] = [
  ['a new schema, version 1', 'SentSchemaRecord', newRecords.schema1, json => v1.parseNew.schema(json, [])],
  [
    'a changed schema, version 1',
    'SentSchemaRecord',
    newRecords.schema1,
    json => v1.parseChange.schema(json, []),
  ],
  ['new metadata, version 1', 'SentMetadataRecord', newRecords.metadata1, newMetadata(v1)],
  ['changed metadata, version 1', 'SentMetadataRecord', newRecords.metadata1, changedMetadata(v1)],
  ['a new schema, version 2', 'SentRecord', newRecords.schema2, json => v2.parseNew.schema(json, [])],
  ['a changed schema, version 2', 'SentRecord', newRecords.schema2, json => v2.parseChange.schema(json, [])],
  ['new metadata, version 2', 'SentRecord', newRecords.metadata2, newMetadata(v2)],
  ['changed metadata, version 2', 'SentRecord', newRecords.metadata2, changedMetadata(v2)],
]

function newMetadata(format: RecordFormat) {
  return (json: JsonObject) => format.parseNew.metadata(json, [])
}

function changedMetadata(format: RecordFormat) {
  return (json: JsonObject) => format.parseChange.metadata(json, [])
}

/** The members of an object that the function accesses itself, present or not. */
function accessedBy<T extends object>(read: (record: T) => unknown, record: T): readonly string[] {
  const names = new Set<string>()
  const note = (name: string | symbol) => typeof name === 'string' && names.add(name)
  read(
    new Proxy(record, {
      get: (target, name) => {
        note(name)
        return Reflect.get(target, name)
      },
      has: (target, name) => {
        note(name)
        return Reflect.has(target, name)
      },
    }),
  )
  return [...names]
}

/** Whether the function refuses a record for the value of the member. No member can be such a list. */
function reads(parse: (json: JsonObject) => unknown, record: JsonObject, name: string): boolean {
  try {
    parse({ ...record, [name]: [[true]] })
    return false
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    expect(error.kind, name).to.equal('malformed-request')
    expect(error.message).to.match(new RegExp(`\\b${name}\\b`))
    return true
  }
}

describe('the members of a record in a request', () => {
  for (const [title, component, record, parse] of forms) {
    it(`are read if they are described, and only then: ${title}`, () => {
      const described = Object.keys(schemas[component]?.properties as object)
      const accessed = accessedBy(parse, record)
      const candidates = new Set([
        ...Object.values(schemas).flatMap(({ properties }) => Object.keys(properties ?? {})),
        ...Object.keys(recordJsonSchema.properties),
        ...accessed,
      ])

      const read = [...candidates].filter(name => reads(parse, record, name))

      expect(read).to.have.members(described)
      expect(described).to.include.members(accessed)
    })
  }
})

describe('the members of a stored record', () => {
  const revision = (record: StoredRecord): Revision => ({
    kind: 'metadata',
    id: 'a' as Id,
    version: 1 as Version,
    commit: '0'.repeat(40) as Oid,
    time: 0 as Instant,
    createdAt: 0 as Instant,
    record,
    documentType: 'JSON',
    documentHash: '0'.repeat(40) as Sha1,
    document: '0'.repeat(40) as Oid,
    files: new Map(),
    sequence: 0,
  })
  const root = 'https://example.org/api/v2'

  it('are all rendered by version 2, except those that follow from the revision and one of version 1', () => {
    const rendered = accessedBy<StoredRecord>(record => v2.render(revision(record), root), { id: 'a' as Id })

    const others = ['id', 'resourceType', 'doNotSync']
    expect([...rendered, ...others]).to.have.members(Object.keys(recordJsonSchema.properties))
  })
})
