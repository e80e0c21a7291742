import type { Blame } from '../api/interface-types.js'
import { placesOf } from './places.js'

/** A version that changed a part of a document last. */
export type Member = Blame['members'][number]

/** Lines that were changed last by one version. */
export interface LineGroup {
  /** Number of the first line, from 1. */
  readonly first: number
  readonly lines: readonly string[]
  readonly change: Member
}

/**
 * The lines of a document in groups with the version that changed them last. A line has the newest version of the parts
 * that begin in it; a line in which no part begins belongs to the one before. A part that contains others has the oldest
 * of their versions: since then its own line is there.
 */
export function blameLines(
  text: string,
  language: 'JSON' | 'XML',
  members: Blame['members'],
): readonly LineGroup[] {
  const lines = text.split('\n')
  const newest = newestByLine(lines, placesOf(text, language), ownChanges(members))
  const [whole] = members
  const groups: { first: number; lines: string[]; change: Member }[] = []
  for (const [index, line] of lines.entries()) {
    const last = groups.at(-1)
    const change = newest.get(index) ?? last?.change ?? whole
    if (!change) return []
    if (last?.change.version === change.version) last.lines.push(line)
    else groups.push({ first: index + 1, lines: [line], change })
  }
  // The text after the last line break is no line.
  const end = groups.at(-1)
  if (end && lines.length > 1 && lines.at(-1) === '') end.lines.pop()
  return groups.filter(group => group.lines.length > 0)
}

/** The change of each part without what it contains. */
function ownChanges(members: Blame['members']): ReadonlyMap<string, Member> {
  const oldest = new Map<string, Member>()
  // What a part contains comes after it.
  for (const member of members.toReversed()) {
    const own = oldest.get(member.path) ?? member
    oldest.set(member.path, own)
    const parent = member.path.slice(0, member.path.lastIndexOf('/'))
    const known = oldest.get(parent)
    if (member.path !== '' && (!known || own.version < known.version)) oldest.set(parent, own)
  }
  return oldest
}

function newestByLine(
  lines: readonly string[],
  places: ReturnType<typeof placesOf>,
  changes: ReadonlyMap<string, Member>,
): ReadonlyMap<number, Member> {
  const newest = new Map<number, Member>()
  let line = 0
  let end = lines[0]?.length ?? 0
  // The places are in the order of the text.
  for (const [path, { from }] of places) {
    const change = changes.get(path)
    if (!change) continue
    while (from > end && line < lines.length - 1) {
      line += 1
      end += 1 + (lines[line]?.length ?? 0)
    }
    const known = newest.get(line)
    if (!known || known.version < change.version) newest.set(line, change)
  }
  return newest
}
