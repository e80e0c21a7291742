import { join } from 'node:path'
import { catalogFile } from '../../catalog/open-catalog.js'
import { openReadOnlySnapshot } from '../../catalog/read/read-only-snapshot.js'
import { decodeUtf8 } from '../../core/json/strict-json.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import { type Clone, linesOrThrow } from '../../store/local-clone/open-clone.js'
import {
  type EditedFiles,
  findStaleEdits,
  type StaleEdit,
} from '../../store/manual-edits/find-outdated-edits.js'
import { mergeLines } from '../../store/manual-edits/merge-lines.js'
import { idOfDirectory, parseRecordPath } from '../../store/records/repository-layout.js'
import { ownFolder } from '../../store/repository/open-repository.js'
import { editName } from '../git/commit-fault.js'
import { isSameJson, mergeJson } from './json-merge.js'

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

/** The side of an outdated edit that is used: the edit, the newest version, or a merge of both. */
export type Resolution = 'ours' | 'theirs' | 'merge'

/**
 * The resolved files of outdated edits by path; undefined for a removed file.
 * @throws ProblemError `conflict` if `merge` finds parts that both sides changed
 */
export async function resolveEdits(
  clone: Clone,
  edits: readonly OutdatedEdit[],
  how: Resolution,
  { read }: Pick<EditedFiles, 'read'>,
): Promise<ReadonlyMap<string, Uint8Array | undefined>> {
  const instead = new Map<string, Uint8Array | undefined>()
  if (how === 'ours') return instead
  const conflicts: string[] = []
  for (const edit of edits) {
    if (how === 'theirs') {
      instead.set(edit.path, edit.newest && (await read(edit.newest)))
      continue
    }
    const merged = await mergeEdit(clone, edit, read)
    if ('bytes' in merged) instead.set(edit.path, merged.bytes)
    else conflicts.push(...merged.conflicts)
  }
  if (conflicts.length === 0) return instead
  const advice =
    'Nothing is stored. Edit these parts in the files so that they have both changes, and commit with --ours; or take the newest version with --theirs.'
  const both = 'Your edit and the newest version both changed:'
  throw new ProblemError('conflict', [both, ...conflicts.map(line => `  ${line}`), advice].join('\n'))
}

type MergedEdit = { readonly bytes: Uint8Array } | { readonly conflicts: readonly string[] }

async function mergeEdit(
  clone: Clone,
  { path, base, newest, edited }: OutdatedEdit,
  read: (blob: Oid) => Promise<Uint8Array>,
): Promise<MergedEdit> {
  if (newest === undefined || edited === undefined) {
    const [removed, changed] = newest === undefined ? ['newest version', 'edit'] : ['edit', 'newest version']
    return { conflicts: [`${path}: the ${removed} removes the file, the ${changed} changes it`] }
  }
  const texts = {
    base: base.blob === undefined ? new Uint8Array() : await read(base.blob),
    ours: await read(edited),
    theirs: await read(newest),
  }
  const lines = await mergeLines(clone.binary, clone.gitDir, texts)
  const json = path.endsWith('.json') ? mergeTexts(texts) : undefined
  if (!json) {
    if ('bytes' in lines) return lines
    if (lines.conflicts.length === 0) return { conflicts: [`${path}: the file is not text`] }
    return {
      conflicts: lines.conflicts.map(({ first, last }) => {
        return first === last ? `${path}: line ${first}` : `${path}: lines ${first} to ${last}`
      }),
    }
  }
  if ('conflicts' in json) {
    return {
      conflicts: json.conflicts.map(pointer => `${path}: ${pointer === '' ? 'the whole document' : pointer}`),
    }
  }
  // The merge by lines keeps the formatting. It is used if it has the same content.
  const keepsLines = 'bytes' in lines && isSameJson(lines.bytes.toString(), json.text)
  return keepsLines ? lines : { bytes: Buffer.from(json.text) }
}

function mergeTexts(texts: Readonly<Record<'base' | 'ours' | 'theirs', Uint8Array>>) {
  const [base, ours, theirs] = [texts.base, texts.ours, texts.theirs].map(decodeUtf8)
  if (base === undefined || ours === undefined || theirs === undefined) return undefined
  // The base is empty if both sides created the file.
  return mergeJson(base === '' ? '{}' : base, ours, theirs)
}
