import { malformedRequest } from '../../../core/problem.js'
import { collectionLabels } from '../../../core/records/collection.js'
import { parseId } from '../../../core/value-types.js'
import { version1Mounts } from '../../mounts.js'
import { readObject, readText } from '../read-json-properties.js'
import type { RecordFormat } from '../record-format-interface.js'
import { parseMetadata, parseSchema, parseSchemaReference } from './parse-record.js'
import { renderRecord } from './render-record.js'

/*
 * Version 1 of the interface: flat records for schemas and for metadata, which show a part of the stored record.
 * Members that they do not show (creators, further titles, a second licence) stay as they are when a client sends a
 * record back.
 * @see docs/contract.md#records-of-version-1; docs/contract.md#one-record-two-views
 */

export const v1: RecordFormat = {
  version: 1,
  mounts: version1Mounts,
  recordTypes: {
    schema: [
      'application/vnd.repository.schema-record+json',
      'application/vnd.datamanager.schema-record+json',
    ],
    metadata: [
      'application/vnd.repository.metadata-record+json',
      'application/vnd.datamanager.metadata-record+json',
    ],
  },
  contentTypes: [],
  indexTypes: { schema: [], metadata: ['application/vnd.datamanager.acl+json'] },
  strictAcceptKinds: [],
  locatesDocuments: false,

  notFoundMessage(kind, id) {
    return `${collectionLabels[kind]} document with ID '${id}' doesn't exist!`
  },

  render: renderRecord,

  parseNew: {
    schema(json) {
      const draft = parseSchema(json)
      const named = readText(json, 'schemaId')
      if (!named) throw malformedRequest('The record has no schemaId: a schema needs an id of your choice.')
      const id = parseId(named, 'schemaId')
      if (id !== id.toLowerCase()) {
        throw malformedRequest(
          `schemaId "${id}" has upper case letters; schema ids of version 1 are all lower case.`,
        )
      }
      return { ...draft, id }
    },

    metadata(json, bases) {
      const edit = parseMetadata(json)
      const { schemaId, ...version } = parseSchemaReference(json, bases)
      if (!readObject(json, 'relatedResource')) {
        throw malformedRequest(
          'The record has no relatedResource: what the document describes, { "identifier": …, "identifierType": … }.',
        )
      }
      if (!schemaId) {
        throw malformedRequest(
          'The record has no schema: the one it follows, { "identifier": <schemaId>, "identifierType": "INTERNAL" }.',
        )
      }
      const id = readText(json, 'id')
      return {
        ...(id ? { id: parseId(id, 'id') } : {}),
        schema: { schemaId, ...version },
        edit,
      }
    },
  },

  parseChange: {
    schema(json) {
      readText(json, 'schemaId')
      return parseSchema(json)
    },

    metadata(json, bases) {
      readText(json, 'id')
      return { schema: parseSchemaReference(json, bases), edit: parseMetadata(json) }
    },
  },
}
