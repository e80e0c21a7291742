import type { CoreParts } from '../../compose/compose.js'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { type OaiSet, readMetastoreFile } from '../../store/repository/metastore-json.js'
import { openStoredSets, type StoredSets } from './stored-sets.js'

/** Opens the sets for harvesters that the newest commit defines in `metastore.json`. */
export function openConfiguredSets({
  repository,
  catalog,
  report,
}: Pick<CoreParts, 'repository' | 'catalog' | 'report'>): StoredSets {
  const { dir, gitDir, objects, history } = repository
  let known: { readonly head: Oid | undefined; readonly sets: readonly OaiSet[] } = {
    head: undefined,
    sets: [],
  }

  async function searches(): Promise<readonly OaiSet[]> {
    const head = catalog.head()
    if (head === undefined || head === known.head) return known.sets
    try {
      known = { head, sets: (await readMetastoreFile(dir, head, objects, history)).oaiSets }
    } catch (error) {
      // The commit was not checked, and its `metastore.json` is invalid. The sets stay as they were.
      if (!(error instanceof ProblemError)) throw error
      report(`The sets for harvesters stay as they were: ${error.message}`)
      known = { head, sets: known.sets }
    }
    return known.sets
  }

  return openStoredSets({ catalog, objects, gitDir, searches, report })
}
