import { join } from 'node:path'
import { catalogFile } from '../../catalog/open-catalog.js'
import { openReadOnlySnapshot } from '../../catalog/read/read-only-snapshot.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import { isSameJson, mergeJson } from '../../difference/json-merge.js'
import { type Clone, linesOrThrow } from '../../store/local-clone/open-clone.js'
import {
  type EditedFiles,
  findStaleEdits,
  type StaleEdit,
} from '../../store/manual-edits/find-outdated-edits.js'
import { mergeLines } from '../../store/manual-edits/merge-lines.js'
import { idOfDirectory, parseRecordPath } from '../../store/records/repository-layout.js'
import { ownFolder } from '../../store/repository/open-repository.js'

/** A stale edit, and the versions of the record it is about, as far as they are known. */
export interface OutdatedEdit extends StaleEdit {
  readonly kind?: Collection
  readonly id?: Id
  /** The version the edit began with. */
  readonly basedOn?: Version
  /** The newest version there is. */
  readonly version?: Version
}

/** The stale edits among those that differ from a commit. @see findStaleEdits */
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

/** Versions of records as the catalog of the clone counts them; where there is none they are not known. */
function openVersions(clone: Clone) {
  const snapshot = openReadOnlySnapshot(join(clone.commonDir, ownFolder, catalogFile))

  /** The last revision of a folder on the way to a commit. */
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

/** `metadata "rod-7"`, or the path of a file that belongs to no record. */
export function nameOf({ kind, id, path }: OutdatedEdit): string {
  return kind === undefined || id === undefined ? path : `${kind} "${id}"`
}

/** What is wrong with an edit, and the git commands that show both sides. @param dir as `git -C` takes it */
export function outdatedLines(edit: OutdatedEdit, dir: string): readonly string[] {
  const { path, base, newest, basedOn, version } = edit
  const [old, now] = [basedOn, version].map(number => (number === undefined ? '' : ` ${number}`))
  const git = `git -C ${dir} diff`
  const began = base.blob?.slice(0, 12)
  const newer = newest?.slice(0, 12)
  return [
    `${path}: this edit of ${nameOf(edit)} is based on ${old ? `version${old}` : 'an older version'}, the newest is ${now ? `version${now}` : 'another'}. To commit it would undo what came between.`,
    ...(began === undefined ? [] : [`  the edit:    ${git} ${began} -- ${path}`]),
    began !== undefined && newer !== undefined
      ? `  came since:  ${git} ${began} ${newer}`
      : `  came since:  ${newer === undefined ? 'the file was removed' : `git -C ${dir} show ${newer}`}`,
  ]
}

/** Which side of a stale edit counts, where both have changed something. */
export type Resolution = 'ours' | 'theirs' | 'merge'

/**
 * What the files of stale edits are to hold; undefined for no file.
 * @throws ProblemError `conflict` where `merge` finds places that both sides have changed
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
    'Nothing is stored. Put these places right in the files, so that they hold what both want, and commit with --ours; or take the newest version with --theirs.'
  const both = 'Your edit and the newest version have both changed:'
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
    if (lines.conflicts.length === 0) return { conflicts: [`${path}: the file is no text`] }
    return {
      conflicts: lines.conflicts.map(({ first, last }) => {
        return first === last ? `${path}: line ${first}` : `${path}: lines ${first} to ${last}`
      }),
    }
  }
  if ('conflicts' in json) {
    return { conflicts: json.conflicts.map(at => `${path}: ${at === '' ? 'the whole document' : at}`) }
  }
  // The lines as they are written, where they come to the same.
  const keepsLines = 'bytes' in lines && isSameJson(lines.bytes.toString(), json.text)
  return keepsLines ? lines : { bytes: Buffer.from(json.text) }
}

function mergeTexts(texts: Readonly<Record<'base' | 'ours' | 'theirs', Uint8Array>>) {
  const [base, ours, theirs] = [texts.base, texts.ours, texts.theirs].map(textIn)
  if (base === undefined || ours === undefined || theirs === undefined) return undefined
  // Both have made the file: nothing was there before.
  return mergeJson(base === '' ? '{}' : base, ours, theirs)
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
