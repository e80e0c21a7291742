import { decodeUtf8 } from '../../core/json/strict-json.js'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import type { OutdatedEdit } from '../../service/manual-edits/outdated-edits.js'
import type { Clone } from '../../store/local-clone/open-clone.js'
import type { EditedFiles } from '../../store/manual-edits/find-outdated-edits.js'
import { mergeLines } from '../../store/manual-edits/merge-lines.js'
import { isSameJson, mergeJson } from './json-merge.js'

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
