import type { CoreParts } from '../../compose/compose.js'
import type { Principal } from '../../core/access-control.js'
import type { Finding } from '../../core/problem.js'
import type { Id } from '../../core/value-types.js'
import { openSchemaPreparer } from '../../service/updates/prepare-schema.js'
import { dryRunWork, openCommittedBase } from '../../service/updates/prepared-update.js'
import type { NewRecordUpload, OwnBaseUrls } from '../../service/updates/record-drafts.js'

/** Id of a schema that has none yet, for its references to itself. */
const unnamed = 'unnamed' as Id

/**
 * Validates a document against a schema that is not stored.
 * @returns what is wrong with the document
 * @throws ProblemError `unprocessable` for a schema that does not compile
 */
export type TryDocument = (
  caller: Principal,
  schema: NewRecordUpload,
  document: Uint8Array,
  origins: OwnBaseUrls,
) => Promise<readonly Finding[]>

export function openTrials(parts: CoreParts): TryDocument {
  const { transactions, bundles, validator } = parts
  const updates = openSchemaPreparer({ ...parts, committed: parts.catalog.committed })
  const base = { ...openCommittedBase(transactions, bundles), isDryRun: true } as const
  return async (caller, schema, document, origins) => {
    const draft = { id: unnamed, edit: <T>(record: T) => record }
    const { content } = await updates.create(base, caller, draft, schema, origins)
    if (!content) throw new Error('A new schema has no content.')
    return await validator.validate(content.bundle, document, dryRunWork(caller))
  }
}
