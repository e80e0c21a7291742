import { malformedRequest } from '../../core/problem.js'
import { readList, readMembers, readString, shown } from '../elasticsearch-queries/read-json.js'
import { matchesWildcard } from '../elasticsearch-queries/wildcard-pattern.js'

/** Which members of an index entry a hit has. */
export interface SourceFilter {
  /** False: no hit has `_source`. */
  readonly isWanted: boolean
  /** Patterns of paths such as `metadataRecord.titles.*`; empty: all. */
  readonly includes: readonly string[]
  readonly excludes: readonly string[]
}

/** Patterns of one filter, and characters of a pattern. */
const mostPatterns = 200
const longestPattern = 500

/**
 * `true`, `false`, a path, a list of paths, or `{"includes": […], "excludes": […]}`.
 * @throws ProblemError `malformed-request`
 */
export function readSourceFilter(value: unknown): SourceFilter {
  if (value === undefined || value === null || value === true) return everything
  if (value === false) return { ...everything, isWanted: false }
  if (typeof value === 'string' || Array.isArray(value)) return { ...everything, includes: patternsOf(value) }
  const members = readMembers(value, '[_source]', ['includes', 'include', 'excludes', 'exclude'])
  return {
    isWanted: true,
    includes: patternsOf(members.includes ?? members.include),
    excludes: patternsOf(members.excludes ?? members.exclude),
  }
}

const everything: SourceFilter = { isWanted: true, includes: [], excludes: [] }

function patternsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  const list = Array.isArray(value) ? readList(value, '[_source]', mostPatterns) : [value]
  return list.map(entry => {
    const pattern = readString(entry, 'a path of [_source]')
    if (pattern.length <= longestPattern) return pattern
    throw malformedRequest(
      `a path of [_source] has more than ${longestPattern} characters: [${shown(pattern)}]`,
    )
  })
}

/** How a member of an entry is answered: whole, in part, or not at all. */
export type Selection = 'all' | 'some' | 'none'

/** How a top member of the entry is answered, without a look at its value. */
export function selectionOf(member: string, { isWanted, includes, excludes }: SourceFilter): Selection {
  if (!isWanted || excludes.some(pattern => matches(pattern, member))) return 'none'
  const touched = excludes.some(pattern => leadsInto(pattern, member))
  if (includes.length === 0 || includes.some(pattern => matches(pattern, member)))
    return touched ? 'some' : 'all'
  return includes.some(pattern => leadsInto(pattern, member)) ? 'some' : 'none'
}

/** The parts of a member that the filter selects; undefined if there is none. Arrays are transparent. */
export function selectFrom(value: unknown, path: string, filter: SourceFilter): unknown {
  const selection = selectionOf(path, filter)
  if (selection === 'none') return undefined
  if (selection === 'all') return value
  return selectMembers(value, path, filter)
}

function selectMembers(value: unknown, path: string, filter: SourceFilter): unknown {
  if (Array.isArray(value)) {
    const kept = value.flatMap(entry => selectMembers(entry, path, filter) ?? [])
    return kept.length === 0 ? undefined : kept
  }
  if (typeof value !== 'object' || value === null) return isIncluded(path, filter) ? value : undefined
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const selected = selectFrom(member, `${path}.${name}`, filter)
    return selected === undefined ? [] : [[name, selected] as const]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

function isIncluded(path: string, { includes }: SourceFilter): boolean {
  return includes.length === 0 || includes.some(pattern => matches(pattern, path))
}

/** Whether the pattern selects the path: it matches the path, or what the path is in. */
function matches(pattern: string, path: string): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1))
    if (matchesWildcard(pattern, path.slice(0, end))) return true
  return false
}

/** Whether the pattern may select something below the path. */
function leadsInto(pattern: string, path: string): boolean {
  const asterisk = pattern.indexOf('*')
  if (asterisk < 0) return pattern.startsWith(`${path}.`)
  const fixed = pattern.slice(0, asterisk)
  return fixed.startsWith(`${path}.`) || `${path}.`.startsWith(fixed)
}
