import { malformedRequest } from '../../../core/problem.js'
import { identifierTypes } from '../../../core/records/record-json-schema.js'
import type { Revision } from '../../../core/records/revision.js'
import { parseInstant } from '../../../core/value-types.js'
import type { RecordDraft, RecordEdit } from '../../../service/updates/record-drafts.js'
import { componentName, type Schema } from '../../openapi/specification-types.js'
import { closedObject, ignoredId, orNull, sentInstant } from '../../openapi/value-schemas.js'
import { readEnum, readInteger, readObject, readText } from '../read-json-properties.js'
import type { JsonObject } from '../record-format-interface.js'
import { type RenderedMember, renderMembers } from '../render-json-properties.js'

/*
 * What a member of a record is, and how members become the description, the rendering and the reading of a record.
 */

/** What a member of a request says about the record. */
type Wanted = Partial<RecordDraft>

export interface Member {
  /** Schema of the member in responses. */
  readonly response: Schema
  /** Every response has the member. */
  readonly isRequired?: true
  /** Its value in responses. It is absent if it is undefined, an empty text or an empty list. */
  render(revision: Revision, root: string): unknown
  /** Schema of the member in requests. Absent: the server sets the member, and ignores a sent value of its type. */
  readonly request?: Schema
  /**
   * Reads the member of a request, which may be absent or null.
   * @param bases base URLs with which a URL of this service may begin
   * @throws ProblemError `malformed-request`, `unprocessable`
   */
  read?(json: JsonObject, bases: readonly string[]): Wanted | undefined
}
export type Members = Readonly<Record<string, Member>>

export function withDescription(schema: Schema, description: string): Schema {
  return { ...schema, description }
}

export function reference(types: Schema): Schema {
  return {
    type: 'object',
    properties: {
      id: ignoredId,
      identifier: { type: 'string', minLength: 1 },
      identifierType: types,
    },
    required: ['identifier', 'identifierType'],
  }
}

export interface Identifier {
  readonly identifier: string
  readonly identifierType: (typeof identifierTypes)[number]
}

/** Reads a member `{id, identifier, identifierType}`; undefined if the member is absent or null. */
export function parseIdentifier(json: JsonObject, name: string): Identifier | undefined {
  const member = readObject(json, name)
  if (!member) return undefined
  readInteger(member, 'id')
  const identifier = readText(member, 'identifier')
  const type = readEnum(member, 'identifierType', identifierTypes)
  if (!identifier) throw malformedRequest(`${name} has no identifier.`)
  if (!type) throw malformedRequest(`${name} has no identifierType.`)
  return { identifier, identifierType: type }
}

/** Component of the description for the type of a member that the server sets, and the check of a sent value. */
const serverSet: Readonly<
  Record<string, { readonly schema: Schema; check(json: JsonObject, name: string): void }>
> = {
  Version: { schema: { type: ['integer', 'string', 'null'], pattern: '^-?\\d+$' }, check: readInteger },
  Second: { schema: orNull(sentInstant), check: checkInstant },
  Instant: { schema: orNull(sentInstant), check: checkInstant },
}
const serverSetText = { schema: { type: ['string', 'null'] }, check: readText }

function checkInstant(json: JsonObject, name: string): void {
  if (json[name] !== undefined && json[name] !== null) parseInstant(json[name], name)
}

function serverSetAs({ $ref }: Schema) {
  return (typeof $ref === 'string' && serverSet[componentName($ref)]) || serverSetText
}

/** How records of one kind are described, rendered and read. */
export function compile(members: Members) {
  const named = Object.entries(members)
  const readers = named.map(([name, { read, response }]): NonNullable<Member['read']> => {
    if (read) return read
    const { check } = serverSetAs(response)
    return json => void check(json, name)
  })
  const rendered = named.map(([name, { render }]): RenderedMember => [name, render])
  return {
    responseSchema(description: string): Schema {
      const properties = Object.fromEntries(named.map(([name, { response }]) => [name, response]))
      const required = named.flatMap(([name, { isRequired }]) => (isRequired ? [name] : []))
      return closedObject(properties, required, { description })
    },
    requestSchema(description: string): Schema {
      const properties = named.map(([name, { response, request }]) => [
        name,
        request ? orNull(request) : { ...serverSetAs(response).schema, readOnly: true },
      ])
      return { type: 'object', description, properties: Object.fromEntries(properties) }
    },
    /** A revision as JSON. @param root beginning of URLs: `https://example.org/api/v1` */
    render(revision: Revision, root: string): JsonObject {
      return renderMembers(rendered, revision, root)
    },
    /**
     * Reads a record of a request.
     * @param bases base URLs with which a URL of this service may begin
     * @throws ProblemError `malformed-request`, `unprocessable`
     */
    read(json: JsonObject, bases: readonly string[]): RecordDraft {
      const edits: RecordEdit[] = []
      let draft: Wanted = {}
      for (const read of readers) {
        const { edit, schema, ...wanted } = read(json, bases) ?? {}
        if (edit) edits.push(edit)
        draft = { ...draft, ...wanted, ...(schema && { schema: { ...draft.schema, ...schema } }) }
      }
      return { ...draft, edit: base => edits.reduce((record, edit) => edit(record), base) }
    },
  }
}
