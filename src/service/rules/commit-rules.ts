import type { RuleCheck, UncheckedRevision } from '../../catalog/catalog.js'
import { type Finding, ProblemError } from '../../core/problem.js'
import {
  relatedResources,
  type SchemaReference,
  type StoredRecord,
  stateOf,
  uniqueNamesOf,
} from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision } from '../../core/records/revision.js'
import type { Oid } from '../../core/value-types.js'
import { truncate } from '../../core/value-types.js'
import type { BlobReader } from '../../store/objects/blob-cache.js'
import { recordFile } from '../../store/records/repository-layout.js'
import { detectDocumentType } from '../../validation/detect-document-type.js'
import { ownWork, type Validator, type Work } from '../../validation/validator.js'
import { attachedFiles, type BundleAssembler, readFiles } from './assemble-schema-bundle.js'
import { blankFault } from './request-rules.js'

export interface JudgeOptions {
  readonly documents: BlobReader
  readonly bundles: BundleAssembler
  readonly validator: Validator
}

type State = NonNullable<UncheckedRevision['state']>

/**
 * Judges what people committed with git by the rules of a PUT. Who may do what is not asked: whoever can push can
 * push.
 */
export function openCommitRuleCheck({ documents, bundles, validator }: JudgeOptions): RuleCheck {
  async function judgeSchema(
    candidate: UncheckedRevision,
    state: State,
    view: CatalogQueries,
    work: Work,
  ): Promise<readonly Finding[]> {
    const before = view.newest('schema', candidate.id)
    if (before && sameFiles(before.files, state.files)) return []
    const document = await documents.read(state.document)
    const type = detectDocumentType(document)
    if (type !== state.documentType) {
      const found = type === undefined ? 'neither JSON nor XML' : type
      return [
        {
          message: `The file name says ${state.documentType}, but the schema document is ${found}.`,
          path: '',
        },
      ]
    }
    const files = await readFiles(documents, attachedFiles(state.files))
    return await withoutThrowing(async () => {
      const source = { id: candidate.id, type, document, files }
      const { bundle, findings } = await bundles.ofNew(view, source, undefined, work)
      return findings.length > 0 ? findings : await validator.check(bundle, work)
    })
  }

  async function judgeMetadata(
    candidate: UncheckedRevision,
    state: State,
    view: CatalogQueries,
    work: Work,
  ): Promise<readonly Finding[]> {
    const wanted = state.record.schema
    if (!wanted) return [inRecord('The record names no schema to follow.', '/schema')]
    const before = view.newest('metadata', candidate.id)
    const kept = before?.record.schema
    const sameSchema = kept?.schemaId === wanted.schemaId && kept.version === wanted.version
    if (sameSchema && before?.document === state.document) return []
    const newest = view.newest('schema', wanted.schemaId)
    const schema = newest && view.atVersion('schema', wanted.schemaId, wanted.version)
    if (!schema || (stateOf(newest.record) === 'REVOKED' && !sameSchema)) {
      return [inRecord(cannotFollow(wanted, newest), '/schema')]
    }
    if (schema.documentType !== state.documentType) {
      const message = `The document is ${state.documentType}, but its schema is for ${schema.documentType}.`
      return [{ message, path: '' }]
    }
    return await withoutThrowing(async () =>
      validator.validate(
        await bundles.ofStored(view, schema, work),
        await documents.read(state.document),
        work,
      ),
    )
  }

  return async (candidate, view, client) => {
    const work = client ? { ...client, isDryRun: true } : ownWork
    const { kind, id, state } = candidate
    if (!state) return kind === 'schema' ? removalFaults(view, candidate) : []
    const faults = recordFaults(candidate, state.record, view)
    if (faults.length > 0) return faults
    return kind === 'schema'
      ? await judgeSchema(candidate, state, view, work)
      : [...pairFaults(id, state.record, view), ...(await judgeMetadata(candidate, state, view, work))]
  }
}

function removalFaults(view: CatalogQueries, { id }: UncheckedRevision): readonly Finding[] {
  const dependent = view.dependentOf(id)
  if (dependent === undefined) return []
  return [
    { message: `The schema is removed, but the metadata record "${dependent}" follows a version of it.` },
  ]
}

function recordFaults(
  { kind, id }: UncheckedRevision,
  record: StoredRecord,
  view: CatalogQueries,
): readonly Finding[] {
  const findings: Finding[] = []
  if (stateOf(record) === 'GONE') {
    findings.push(inRecord('A record is GONE when its directory is removed, not by its state.', '/state'))
  }
  const blank = blankFault(record)
  if (blank !== undefined) findings.push(inRecord(blank))
  const foreign = view.owners(uniqueNamesOf(record), { kind, id })
  for (const { name, gone, kind: other, id: owner } of foreign) {
    const whose = gone ? `belonged to the deleted ${other}` : `belongs to the ${other}`
    findings.push(inRecord(`The identifier "${truncate(name)}" ${whose} record "${owner}".`))
  }
  return findings
}

function pairFaults(
  id: UncheckedRevision['id'],
  record: StoredRecord,
  view: CatalogQueries,
): readonly Finding[] {
  const schemaId = record.schema?.schemaId
  const resources = relatedResources(record)
  if (resources.length === 0) {
    return [
      inRecord(
        'The record names no related resource that it describes: add an entry with the relationType IS_METADATA_FOR.',
        '/relatedIdentifiers',
      ),
    ]
  }
  if (schemaId === undefined) return []
  return view.describers(resources, schemaId, id).map(({ resource, id: other }) => {
    const message = `The resource "${truncate(resource)}" already has a document that follows the schema "${schemaId}": the metadata record "${other}".`
    return inRecord(message, '/relatedIdentifiers')
  })
}

function cannotFollow({ schemaId, version }: SchemaReference, newest: Revision | undefined): string {
  const named = `There is no schema "${schemaId}", version ${version} to follow`
  if (!newest) return `${named}. Register it first, or correct the "schemaId".`
  if (stateOf(newest.record) === 'REVOKED') return `${named}: it has been deleted (REVOKED).`
  return `${named}: its newest version is ${newest.version}.`
}

function inRecord(message: string, path = ''): Finding {
  return { message, path, file: recordFile }
}

/** A refusal, as findings; whatever else is thrown is a failure to judge. */
async function withoutThrowing(judge: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await judge()
  } catch (error) {
    if (!(error instanceof ProblemError) || error.kind !== 'unprocessable') throw error
    return error.extra.findings?.length ? error.extra.findings : [{ message: error.message }]
  }
}

/** Says whether two revisions differ in the record at most. */
function sameFiles(a: ReadonlyMap<string, Oid>, b: ReadonlyMap<string, Oid>): boolean {
  return a.size === b.size && [...a].every(([path, oid]) => path === recordFile || b.get(path) === oid)
}
