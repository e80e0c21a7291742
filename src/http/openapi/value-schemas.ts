import { permissions } from '../../core/records/record-json-schema.js'
import { idPattern, maxIdLength } from '../../core/value-types.js'
import { type Schema, schemaRef } from './specification-types.js'

/** A commit id for examples. */
export const exampleCommit = '5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a'

/** The id of an object in a list of a response. */
export const position: Schema = { type: 'integer', minimum: 1, description: 'Position in the list, from 1.' }
/** The id of an object in a request. */
export const ignoredId: Schema = { type: ['integer', 'string', 'null'], description: 'Ignored.' }

/** Schemas of the values in records. Values in responses have exactly this shape. */
export const valueSchemas: Readonly<Record<string, Schema>> = {
  Id: {
    type: 'string',
    description: `Id of a record: 1 to ${maxIdLength} of the characters \`A–Z a–z 0–9 . - * _\`, and not only dots.`,
    pattern: idPattern.source,
    maxLength: maxIdLength,
    not: { pattern: '^\\.+$' },
    examples: ['overview-7'],
  },
  Version: {
    type: 'integer',
    description: 'Number of a version, from 1.',
    minimum: 1,
    examples: [1],
  },
  Second: {
    type: 'string',
    description: 'A time in seconds: ISO 8601, UTC.',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$',
    format: 'date-time',
    examples: ['2026-03-14T09:26:53Z'],
  },
  Instant: {
    type: 'string',
    description: 'A time in milliseconds: ISO 8601, UTC, without zeros at the end of the fraction.',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{0,2}[1-9])?Z$',
    format: 'date-time',
    examples: ['2026-03-14T09:26:53.59Z'],
  },
  Hash: {
    type: 'string',
    description: 'SHA-1 of the uploaded bytes.',
    pattern: '^sha1:[0-9a-f]{40}$',
    examples: ['sha1:400dd55bc0a4a2d10ab5dc1c3bf0af46a5ba8efa'],
  },
  Commit: {
    type: 'string',
    description: 'Id of a Git commit.',
    pattern: '^[0-9a-f]{40}$',
    examples: [exampleCommit],
  },
  Permission: {
    type: 'string',
    description: 'A permission on a record. Each permission includes those before it.',
    enum: permissions,
  },
  DocumentType: {
    type: 'string',
    description: 'Language of a schema and its documents.',
    enum: ['JSON', 'XML'],
  },
  AclEntry: closedObject(
    {
      id: position,
      sid: {
        type: 'string',
        minLength: 1,
        description: 'A user, a group, `SELF` (the service itself) or `anonymousUser`.',
        examples: ['SELF'],
      },
      permission: schemaRef('Permission'),
    },
    ['id', 'sid', 'permission'],
  ),
  SentAclEntry: {
    type: 'object',
    properties: {
      id: ignoredId,
      sid: { type: 'string', minLength: 1 },
      permission: schemaRef('Permission'),
    },
    required: ['sid', 'permission'],
  },
}

/** An object of a response, with these members and no others. */
export function closedObject(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = Object.keys(properties),
  more: Schema = {},
): Schema {
  return { type: 'object', ...more, properties, required, additionalProperties: false }
}

export function listOf(items: Schema, more: Schema = {}): Schema {
  return { type: 'array', items, ...more }
}

/** Allows null too. It means the same as an absent member unless the description says otherwise. */
export function orNull(schema: Schema): Schema {
  const { type } = schema
  if (typeof type === 'string' && !('enum' in schema)) return { ...schema, type: [type, 'null'] }
  return { anyOf: [schema, { type: 'null' }] }
}

/** A time in a request. @see parseInstant */
export const sentInstant: Schema = {
  type: 'string',
  description:
    'ISO 8601 with an optional fraction and time zone (default: UTC), or only a year, month or day.',
}
