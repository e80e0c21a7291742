import { WrittenNumber } from '../../../core/json/written-number.js'
import { malformedRequest } from '../../../core/problem.js'
import { readList, readMembers, readString, shortenedName } from '../queries/read-json.js'
import { matchesWildcard } from '../queries/wildcard-pattern.js'

/** Selects the members of an index entry that a hit shows as `_source`. */
export interface SourceFilter {
  /** False: no hit has `_source`. */
  readonly isWanted: boolean
  /** The selection of a member, by its path such as `metadataRecord.titles`. */
  selectionOf(path: string): Selection
  /** Whether a value without members is selected, if {@link selectionOf} returns `some` for its path. */
  isIncluded(path: string): boolean
}

/** The selected part of a member: the whole, a part, or nothing. */
export type Selection = 'all' | 'some' | 'none'

/** Limits of a filter: its patterns, its patterns with asterisks, and the asterisks and characters of a pattern. */
const filterLimits = { patterns: 200, wildcards: 20, asterisks: 4, characters: 500 }

/**
 * Reads the member `_source` of a request; without it, hits have the whole entry. It is `true`, `false`, a path, a
 * list of paths, or `{"includes": […], "excludes": […]}`.
 * @throws ProblemError `malformed-request`
 */
export function readSourceFilter(value: unknown): SourceFilter {
  if (value === undefined || value === null || value === true) return openFilter(true, [], [])
  if (value === false) return openFilter(false, [], [])
  if (typeof value === 'string' || Array.isArray(value)) return openFilter(true, patternsOf(value), [])
  const members = readMembers(value, '[_source]', ['includes', 'include', 'excludes', 'exclude'])
  return openFilter(
    true,
    patternsOf(members.includes ?? members.include),
    patternsOf(members.excludes ?? members.exclude),
  )
}

function patternsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  const list = Array.isArray(value) ? readList(value, '[_source]', filterLimits.patterns) : [value]
  const patterns = list.map(entry => readString(entry, 'a path of [_source]'))
  for (const pattern of patterns) {
    if (pattern.length > filterLimits.characters)
      throw malformedRequest(
        `a path of [_source] has more than ${filterLimits.characters} characters: [${shortenedName(pattern)}]`,
      )
    if (pattern.split('*').length - 1 > filterLimits.asterisks)
      throw malformedRequest(
        `a path of [_source] has more than ${filterLimits.asterisks} asterisks: [${shortenedName(pattern)}]`,
      )
  }
  if (patterns.filter(pattern => pattern.includes('*')).length > filterLimits.wildcards)
    throw malformedRequest(`[_source] has more than ${filterLimits.wildcards} paths with asterisks`)
  return patterns
}

/** Limit of the paths in the cache of selections: the entries of an array have the same paths. */
const maxCachedPaths = 10_000

function openFilter(
  isWanted: boolean,
  includes: readonly string[],
  excludes: readonly string[],
): SourceFilter {
  const [included, excluded] = [patternSet(includes), patternSet(excludes)]
  const remembered = new Map<string, Selection>()

  function select(path: string): Selection {
    if (!isWanted || excluded.selects(path)) return 'none'
    const isTouched = excluded.leadsInto(path)
    if (includes.length === 0 || included.selects(path)) return isTouched ? 'some' : 'all'
    return included.leadsInto(path) ? 'some' : 'none'
  }

  return {
    isWanted,
    selectionOf(path) {
      const known = remembered.get(path)
      if (known) return known
      const selection = select(path)
      if (remembered.size < maxCachedPaths) remembered.set(path, selection)
      return selection
    },
    isIncluded: path => includes.length === 0 || included.selects(path),
  }
}

/** Patterns of paths. All patterns without an asterisk together cost one look-up. */
function patternSet(patterns: readonly string[]) {
  const wildcards = patterns.filter(pattern => pattern.includes('*'))
  const paths = new Set(patterns.filter(pattern => !pattern.includes('*')))
  const above = new Set([...paths].flatMap(pathsAbove))
  return {
    /** Whether a pattern matches the path, or a path above it. */
    selects: (path: string) =>
      [path, ...pathsAbove(path)].some(
        part => paths.has(part) || wildcards.some(pattern => matchesWildcard(pattern, part)),
      ),
    /** Whether a pattern may match a path below this path. */
    leadsInto: (path: string) =>
      above.has(path) || wildcards.some(pattern => mayLeadInto(pattern.slice(0, pattern.indexOf('*')), path)),
  }
}

/** The paths above a path: `a.b` and `a` for `a.b.c`. */
function pathsAbove(path: string): readonly string[] {
  const above: string[] = []
  for (let end = path.lastIndexOf('.'); end > 0; end = path.lastIndexOf('.', end - 1))
    above.push(path.slice(0, end))
  return above
}

/** Whether a pattern may match a path below this path. @param beginning the pattern up to its first asterisk */
function mayLeadInto(beginning: string, path: string): boolean {
  return beginning.startsWith(`${path}.`) || `${path}.`.startsWith(beginning)
}

/** The parts of a member that the filter selects; undefined if there are none. Entries of an array have its path. */
export function selectFrom(value: unknown, path: string, filter: SourceFilter): unknown {
  const selection = filter.selectionOf(path)
  if (selection === 'none') return undefined
  if (selection === 'all') return value
  return selectMembers(value, path, filter)
}

function selectMembers(value: unknown, path: string, filter: SourceFilter): unknown {
  if (Array.isArray(value)) {
    const kept = value.flatMap(entry => selectMembers(entry, path, filter) ?? [])
    return kept.length === 0 ? undefined : kept
  }
  if (typeof value !== 'object' || value === null || value instanceof WrittenNumber)
    return filter.isIncluded(path) ? value : undefined
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const selected = selectFrom(member, `${path}.${name}`, filter)
    return selected === undefined ? [] : [[name, selected] as const]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
