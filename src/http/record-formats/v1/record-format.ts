import { malformedRequest } from '../../../core/problem.js'
import { collectionLabels } from '../../../core/records/collection.js'
import { parseId } from '../../../core/value-types.js'
import { version1Mounts } from '../../mounts.js'
import { readObject, readText } from '../read-json-properties.js'
import type { RecordFormat } from '../record-format-interface.js'
import { version1Members } from './version-1-members.js'

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

  render: (revision, root) => version1Members[revision.kind].render(revision, root),

  parseNew: {
    schema(json, bases) {
      const draft = version1Members.schema.read(json, bases)
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
      const draft = version1Members.metadata.read(json, bases)
      if (!readObject(json, 'relatedResource')) {
        throw malformedRequest(
          'The record has no relatedResource: what the document describes, { "identifier": …, "identifierType": … }.',
        )
      }
      if (!draft.schema?.schemaId) {
        throw malformedRequest(
          'The record has no schema: the one it follows, { "identifier": <schemaId>, "identifierType": "INTERNAL" }.',
        )
      }
      const id = readText(json, 'id')
      return { ...draft, ...(id && { id: parseId(id, 'id') }) }
    },
  },

  parseChange: { schema: version1Members.schema.read, metadata: version1Members.metadata.read },
}
