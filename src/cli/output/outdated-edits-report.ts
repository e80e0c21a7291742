import { type OutdatedEdit, outdatedLines } from '../../service/manual-edits/outdated-edits.js'

/** Describes edits that would undo newer versions, and how to resolve them. @param dir the clone's folder */
export function outdatedText(edits: readonly OutdatedEdit[], dir: string): string {
  const lines = edits.flatMap(edit => outdatedLines(edit, dir))
  const advice = [
    'Nothing is committed. Bring the newer changes into the file with an editor, or have it done by git-metastore commit:',
    '  --merge   puts both together: JSON member by member, other text line by line; stops where both changed the same',
    '  --ours    commits the file of the work tree as it is',
    '  --theirs  takes the newest stored version; Git keeps the edit as an object, whose name is printed',
  ]
  return [...lines, ...advice].join('\n')
}

/** An outdated edit as JSON. */
export function outdatedJson({ path, kind, id, basedOn, version, base, newest }: OutdatedEdit): object {
  return { path, kind, id, basedOn, version, base: base.blob, newest }
}
