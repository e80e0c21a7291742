import { join } from 'node:path'
import { catalogFile } from '../../catalog/open-catalog.js'
import { openReadOnlySnapshot } from '../../catalog/read/read-only-snapshot.js'
import type { Collection } from '../../core/records/collection.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import { type Clone, linesOrThrow } from '../../store/local-clone/open-clone.js'
import {
  type EditedFiles,
  findStaleEdits,
  type StaleEdit,
} from '../../store/manual-edits/find-outdated-edits.js'
import { idOfDirectory, parseRecordPath } from '../../store/records/repository-layout.js'
import { ownFolder } from '../../store/repository/open-repository.js'
import { editName } from '../git/commit-fault.js'

/** An outdated edit, with the record and its versions if they are known. */
export interface OutdatedEdit extends StaleEdit {
  readonly kind?: Collection
  readonly id?: Id
  /** The version on which the edit is based. */
  readonly basedOn?: Version
  /** The newest version of the record. */
  readonly version?: Version
}

/** Finds the outdated edits among the files that differ from a commit. @see findStaleEdits */
export async function outdatedEdits(
  clone: Clone,
  head: Oid | undefined,
  files: EditedFiles,
): Promise<readonly OutdatedEdit[]> {
  const stale = await findStaleEdits(clone, head, files)
  if (stale.length === 0) return []
  const versions = openVersions(clone)
  try {
    return await Promise.all(stale.map(async edit => ({ ...edit, ...(await versions.of(edit)) })))
  } finally {
    versions.close()
  }
}

/** Finds versions of records in the catalog of the clone. Without a catalog they are unknown. */
function openVersions(clone: Clone) {
  const snapshot = openReadOnlySnapshot(join(clone.commonDir, ownFolder, catalogFile))

  /** The last commit that changed a directory, from the beginning up to `commit`. */
  async function revisionAt(commit: Oid, directory: string): Promise<Oid | undefined> {
    const args = ['--literal-pathspecs', 'rev-list', '-1', '--first-parent', commit, '--', directory]
    return linesOrThrow(await clone.git(args), 'git rev-list')[0] as Oid | undefined
  }

  return {
    async of({ path, base }: StaleEdit): Promise<Partial<OutdatedEdit>> {
      const place = parseRecordPath(path)
      const id = place && idOfDirectory(place.kind, place.directory)
      if (!place || id === undefined) return {}
      const { kind, directory } = place
      const version = snapshot?.queries.newest(kind, id)?.version
      const commit = base.commit && (await revisionAt(base.commit, directory))
      const basedOn =
        commit && snapshot?.queries.revisions(kind, id).find(entry => entry.commit === commit)?.version
      return { kind, id, ...(basedOn && { basedOn }), ...(version && { version }) }
    },
    close() {
      snapshot?.close()
    },
  }
}

/** Describes an outdated edit, with git commands that show both sides. @param dir folder for `git -C` */
export function outdatedLines(edit: OutdatedEdit, dir: string): readonly string[] {
  const { path, base, newest, basedOn, version } = edit
  const [old, now] = [basedOn, version].map(number => (number === undefined ? '' : ` ${number}`))
  const git = `git -C ${dir} diff`
  const began = base.blob?.slice(0, 12)
  const newer = newest?.slice(0, 12)
  return [
    `${path}: this edit of ${editName(edit)} is based on ${old ? `version${old}` : 'an older version'}, the newest is ${now ? `version${now}` : 'another'}. A commit of it would undo the versions in between.`,
    ...(began === undefined ? [] : [`  the edit:    ${git} ${began} -- ${path}`]),
    began !== undefined && newer !== undefined
      ? `  came since:  ${git} ${began} ${newer}`
      : `  came since:  ${newer === undefined ? 'the file was removed' : `git -C ${dir} show ${newer}`}`,
  ]
}
