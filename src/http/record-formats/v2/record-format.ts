import { malformedRequest } from '../../../core/problem.js'
import { parseId } from '../../../core/value-types.js'
import { version2Mounts } from '../../mounts.js'
import { readText } from '../read-json-properties.js'
import type { RecordFormat } from '../record-format-interface.js'
import {
  internalIdOf,
  parseSchemaRelation,
  readRecord,
  replaceRecord,
  type SentRecord,
  schemaLanguage,
  withName,
} from './parse-record.js'
import { renderRecord } from './version-2-members.js'

/*
 * Version 2 of the interface: one citation-style record for schemas and metadata. It has all that is stored, and
 * derived members: version, times, CREATED, HAS_METADATA, IS_NEW_VERSION_OF, the INTERNAL identifier, the resource type
 * and the defaults. Derived members in a request are ignored.
 * @see docs/contract.md#records-of-version-2; docs/contract.md#one-record-two-views
 */

const recordTypes = ['application/vnd.citation.org+json', 'application/vnd.datacite.org+json']

export const v2: RecordFormat = {
  version: 2,
  mounts: version2Mounts,
  recordTypes: { schema: recordTypes, metadata: recordTypes },
  contentTypes: ['application/vnd.datamanager.content-information+json'],
  indexTypes: { schema: [], metadata: ['application/vnd.datamanager.acl+json'] },
  strictAcceptKinds: ['schema'],
  locatesDocuments: true,

  notFoundMessage(kind, id, wanted) {
    if (kind === 'metadata' && (wanted === 'document' || wanted === 'content'))
      return `No content information for identifier ${id}`
    return `Document with ID '${id}' doesn't exist!`
  },

  render: renderRecord,

  parseNew: {
    schema(json) {
      const sent = readRecord(json, 'schema')
      refuseWithoutTitle(sent, titleMissing)
      const wanted = readText(json, 'id')
      if (!wanted)
        throw malformedRequest("Mandatory attribute 'id' missing: a schema needs an id of your choice.")
      // The id is stored in lower case; the original spelling is a name of the record. @see docs/contract.md#ids-of-schemas
      const id = parseId(parseId(wanted, 'id').toLowerCase(), 'id')
      const named = id === wanted ? sent : withName(sent, wanted)
      return {
        id,
        ...schemaLanguage(json),
        edit: base => replaceRecord(base, named, { isNew: true }),
      }
    },

    metadata(json, bases) {
      const sent = readRecord(json, 'metadata')
      refuseWithoutTitle(sent, titleMissing)
      if (!sent.relatedIdentifiers?.some(({ relationType }) => relationType === 'IS_METADATA_FOR')) {
        throw malformedRequest(
          'The record has no related identifier IS_METADATA_FOR: the resource it describes, { "value": …, "identifierType": "URL", "relationType": "IS_METADATA_FOR" }.',
        )
      }
      const schema = parseSchemaRelation(json, bases)
      if (!schema) {
        throw malformedRequest(
          'The record has no related identifier HAS_METADATA: the schema it follows, { "value": <its id>, "identifierType": "INTERNAL", "relationType": "HAS_METADATA" }.',
        )
      }
      const wanted = readText(json, 'id')
      const internal = internalIdOf(sent)
      const id = wanted
        ? parseId(wanted, 'id')
        : internal && parseId(internal, 'The INTERNAL alternate identifier')
      return {
        ...(id ? { id } : {}),
        schema,
        edit: base => replaceRecord(base, sent, { isNew: true }),
      }
    },
  },

  parseChange: {
    schema(json) {
      const sent = readRecord(json, 'schema')
      refuseWithoutTitle(sent, titlesEmptied)
      return {
        ...schemaLanguage(json),
        edit: base => replaceRecord(base, sent, { isNew: false }),
      }
    },

    metadata(json, bases) {
      const sent = readRecord(json, 'metadata')
      refuseWithoutTitle(sent, titlesEmptied)
      return {
        schema: parseSchemaRelation(json, bases) ?? {},
        edit: base => replaceRecord(base, sent, { isNew: false }),
      }
    },
  },
}

const titleMissing = "Mandatory attribute 'title' missing: the record needs at least one entry in titles."
const titlesEmptied = 'Empty title list provided for update: the record needs at least one entry in titles.'

function refuseWithoutTitle(sent: SentRecord, message: string): void {
  if (!sent.titles) throw malformedRequest(message)
}
