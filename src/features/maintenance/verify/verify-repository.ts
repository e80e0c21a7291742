import { join } from 'node:path'
import type { Catalog } from '../../../catalog/catalog.js'
import { catalogFile, openCatalog } from '../../../catalog/open-catalog.js'
import type { CoreParts } from '../../../compose/compose.js'
import { collections } from '../../../core/records/collection.js'
import type { CatalogQueries } from '../../../core/records/record-queries.js'
import type { Revision } from '../../../core/records/revision.js'
import { makeTemporaryFolder } from '../../../store/file-system/temporary-folder.js'
import { isObjectDamage } from '../../../store/objects/object-errors.js'
import type { Repository } from '../../../store/repository/open-repository.js'
import { fsck } from '../repair/fsck.js'
import { compareCatalogs } from './compare-catalogs.js'
import type { Complaint } from './complaint.js'
import { damageComplaints } from './damage-complaints.js'
import { openRevisionChecks } from './verify-revisions.js'

/**
 * Called while records are checked.
 * @param done number of checked records
 * @param total number of all records
 * @param versions number of versions of the checked records
 */
export type VerifyProgress = (done: number, total: number, versions: number) => void

/** A catalog that was rebuilt from the history, in a temporary file. */
export interface FreshCatalog {
  readonly catalog: Catalog
  /** Closes the catalog and removes its file. */
  discard(): Promise<void>
}

/** Number of records that are checked at once. */
const portionSize = 32

/**
 * Checks the whole repository: objects (`git fsck`), the served catalog against a rebuilt one, revisions that break a
 * rule, then every version of every record. It reads from the rebuilt catalog, which does not change meanwhile; if the
 * history is damaged, from the served one.
 */
export async function* verifyRepository(
  parts: CoreParts,
  progress: VerifyProgress = () => undefined,
): AsyncGenerator<Complaint> {
  const { repository, catalog } = parts
  const checkRecords = openRevisionChecks(parts)
  yield* objectsAndRefs(repository)
  const fresh = await rebuildOrExplain(() => rebuildCatalog(parts))
  if ('missing' in fresh) {
    yield { check: 'catalog', findings: [{ message: `It cannot be rebuilt. ${fresh.missing}` }] }
    yield* checkAll(catalog.committed, progress)
    return
  }
  try {
    yield* await compareCatalogs(catalog, fresh.catalog)
    yield* checkAll(fresh.catalog.committed, progress)
  } finally {
    await fresh.discard()
  }

  async function* checkAll(view: CatalogQueries, progress: VerifyProgress): AsyncGenerator<Complaint> {
    for (const { kind, id, commit, findings } of view.faults()) {
      yield { kind, ...(id === undefined ? {} : { id }), commit, check: 'record', findings }
    }
    const { schemas, metadata } = view.counts()
    let [done, versions] = [0, 0]
    for (const some of records(view)) {
      const checked = await checkRecords(view, some)
      yield* checked.complaints
      done += some.length
      versions += checked.versions
      progress(done, schemas + metadata, versions)
    }
  }
}

/** Rebuilds the catalog. @returns `missing` if the history is damaged */
async function rebuildOrExplain(
  rebuild: () => Promise<FreshCatalog>,
): Promise<FreshCatalog | { readonly missing: string }> {
  try {
    return await rebuild()
  } catch (error) {
    if (isObjectDamage(error)) return { missing: error.message }
    throw error
  }
}

/** The newest revisions of all records, in portions. */
function* records(view: CatalogQueries): Generator<readonly Revision[]> {
  for (const kind of collections) {
    for (let offset = 0; ; offset += portionSize) {
      const { items } = view.list(kind, {}, { offset, limit: portionSize })
      if (items.length === 0) break
      yield items
    }
  }
}

async function* objectsAndRefs({ git, gitDir, dir }: Repository): AsyncGenerator<Complaint> {
  if (git === undefined) return
  const lines = await fsck(git, gitDir)
  if (lines.length === 0) return
  yield { check: 'fsck', findings: lines.map(message => ({ message })) }
  yield* await damageComplaints(dir, git)
}

/** Builds a catalog from the history, in a temporary folder. */
async function rebuildCatalog({ repository, catalog, checkRules }: CoreParts): Promise<FreshCatalog> {
  const { objects, history } = repository
  const folder = makeTemporaryFolder('verify')
  const fresh = openCatalog({ file: join(folder.path, catalogFile), objects, history, checkRules })
  const discard = async () => {
    await fresh.close()
    await folder.remove()
  }
  try {
    await fresh.writer.catchUp(catalog.head() ?? (await repository.head()))
    return { catalog: fresh, discard }
  } catch (error) {
    await discard()
    throw error
  }
}
