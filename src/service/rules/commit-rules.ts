import type { RuleCheck, UncheckedRevision } from '../../catalog/catalog.js'
import { selfPrincipal } from '../../core/access-control.js'
import type { Finding } from '../../core/problem.js'
import { documentFileNames } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Id } from '../../core/value-types.js'
import type { BlobReader } from '../../store/blobs/blob-reader.js'
import { ownWork, type Validator, type Work } from '../../validation/validator.js'
import { type AssembledBundle, type BundleAssembler, readFiles } from './assemble-schema-bundle.js'
import { contentOf, type RecordContent, sameContent } from './record-content.js'
import { findByFeatures, type RecordHooks } from './record-hooks.js'
import {
  findBlankIdentifier,
  findDependents,
  findingsOf,
  findMisplacedCrosswalk,
  findMissingResource,
  findSchemaLanguage,
  findSchemaVersion,
  findSearchDeclaration,
  findSecondDocuments,
  findStateByHand,
  findTakenNames,
  findUpperCase,
  noSchemaNamed,
  sameSchema,
  toFindings,
} from './record-rules.js'
import { attachedFiles } from './schema-source.js'

export interface CommitRuleCheckOptions {
  readonly documents: BlobReader
  readonly bundles: BundleAssembler
  readonly validator: Validator
  /**
   * Features whose rules for records hold. Default: none, for commits that are part of the history already: what such
   * a rule finds does not make a record unreadable.
   */
  readonly features?: readonly RecordHooks[]
}

type State = NonNullable<UncheckedRevision['state']>

/**
 * Checks revisions that were committed with git by the rules of a PUT. Permissions on records are not checked, because
 * a push needs the permission for all of them.
 */
export function openCommitRuleCheck({
  documents,
  bundles,
  validator,
  features = [],
}: CommitRuleCheckOptions): RuleCheck {
  async function checkSchema(
    candidate: UncheckedRevision,
    state: State,
    view: CatalogQueries,
    work: Work,
  ): Promise<readonly Finding[]> {
    const faults = await checkSchemaContent(candidate, state, view, work)
    if (faults.length > 0) return faults
    const { record } = state
    const before = view.newest('schema', candidate.id)?.record
    return await findByFeatures(features, {
      record,
      before,
      bundle: async () => (await bundleOf(candidate.id, state, view, work)).bundle,
    })
  }

  async function bundleOf(id: Id, state: State, view: CatalogQueries, work: Work): Promise<AssembledBundle> {
    const document = await documents.read(state.document)
    const files = await readFiles(documents, attachedFiles({ kind: 'schema', files: state.files }))
    return await bundles.ofNew(view, { id, type: state.documentType, document, files }, undefined, work)
  }

  async function checkSchemaContent(
    { id }: UncheckedRevision,
    state: State,
    view: CatalogQueries,
    work: Work,
  ): Promise<readonly Finding[]> {
    const before = view.newest('schema', id)
    const { documentType: type } = state
    const content = {
      type,
      document: state.document,
      files: attachedFiles({ kind: 'schema', files: state.files }),
    }
    if (before && sameContent(contentOf(before), content)) return []
    if (!before) {
      const faults = toFindings(findUpperCase(id))
      if (faults.length > 0) return faults
    }
    const language = findSchemaLanguage(await documents.read(state.document), type)
    if (typeof language !== 'string') return toFindings([language])
    return await findingsOf(async () => {
      const { bundle, findings } = await bundleOf(id, state, view, work)
      const faults = findings.length > 0 ? findings : await validator.check(bundle, work)
      return faults.length > 0 && before
        ? [...findOutdatedCopies(contentOf(before), content), ...faults]
        : faults
    })
  }

  async function checkMetadata(
    { id }: UncheckedRevision,
    { record, documentType, document }: State,
    view: CatalogQueries,
    work: Work,
  ): Promise<readonly Finding[]> {
    const before = view.newest('metadata', id)
    const faults = toFindings([
      ...findMissingResource(record),
      ...findSecondDocuments(view, selfPrincipal, record, before?.record),
    ])
    const { schema: follows } = record
    const isKept = sameSchema(follows, before?.record.schema)
    if (isKept && before?.document === document && before.documentType === documentType) return faults
    const schema = follows
      ? findSchemaVersion(view, { id: follows.schemaId, version: follows.version }, isKept)
      : noSchemaNamed()
    if ('problem' in schema) return [...faults, ...toFindings([schema])]
    if (schema.documentType !== documentType) {
      const message = `The document is ${documentType}, but its schema is for ${schema.documentType}.`
      return [...faults, { message, path: '' }]
    }
    const found = await findingsOf(async () =>
      validator.validate(await bundles.ofStored(view, schema, work), await documents.read(document), work),
    )
    return [...faults, ...found]
  }

  return async (candidate, view, client) => {
    const work = client ? { ...client, isDryRun: true } : ownWork
    const { kind, id, state } = candidate
    if (!state) return kind === 'schema' ? toFindings(findDependents(view, selfPrincipal, id)) : []
    const { record } = state
    const faults = toFindings([
      ...findStateByHand(record, ['GONE']),
      ...findBlankIdentifier(record),
      ...findSearchDeclaration(record),
      ...findMisplacedCrosswalk(record),
      ...findTakenNames(view, selfPrincipal, kind, record),
    ])
    if (faults.length > 0) return faults
    const check = kind === 'schema' ? checkSchema : checkMetadata
    return await check(candidate, state, view, work)
  }
}

/**
 * Names of the document under which a commit left its former bytes, or changed them alone. The files of the schema then
 * mean two documents.
 */
function findOutdatedCopies(before: RecordContent, now: RecordContent): readonly Finding[] {
  const wasEqual = (path: string) => before.files.get(path) === before.document
  return [...now.files].flatMap(([file, bytes]) =>
    wasEqual(file) && bytes !== now.document
      ? [
          {
            message: `${file} was equal to ${documentFileNames.schema[now.type]}: copy one over the other.`,
            file,
          },
        ]
      : [],
  )
}
