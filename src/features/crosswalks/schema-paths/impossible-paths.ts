import { ProblemError } from '../../../core/problem.js'
import { truncate } from '../../../core/value-types.js'
import type { SchemaBundle } from '../../../validation/validator.js'
import type {
  Crosswalk,
  CrosswalkFault,
  EntryRule,
  ListRule,
  TextRule,
} from '../crosswalk/crosswalk-rules.js'

/*
 * Finds paths that no document of a schema can have. A path counts as possible wherever this is not certain.
 */

/** Limit of the faults that are told. */
const maxFaults = 20
/** Limits of the steps for one path, and for all paths of a crosswalk. Beyond them paths count as possible. */
const maxSteps = { path: 10_000, crosswalk: 100_000 }

/** @returns a fault for each path of the crosswalk that no document of the schema can have */
export async function impossiblePaths(
  crosswalk: Crosswalk,
  schema: SchemaBundle,
): Promise<readonly CrosswalkFault[]> {
  const pathsOf =
    schema.type === 'JSON'
      ? (await import('./json-schema-paths.js')).jsonPaths
      : (await import('./xml-schema-paths.js')).xmlPaths
  const isPossible = unlessUnreadable(() => pathsOf(schema))
  if (!isPossible) return []
  const faults: CrosswalkFault[] = []
  const seen = new Set<string>()
  let left = maxSteps.crosswalk
  for (const [property, rule] of crosswalk)
    for (const names of pathsIn(rule, [])) {
      const path = names.join('.')
      if (faults.length === maxFaults || left <= 0) return faults
      if (seen.has(path)) continue
      seen.add(path)
      const most = Math.min(maxSteps.path, left)
      const steps = { left: most }
      const isMissing = unlessUnreadable(() => isPossible(names, steps)) === false
      left -= most - Math.max(steps.left, 0)
      if (!isMissing) continue
      faults.push({
        pointer: `/${property}`,
        message: `No document of this schema can have the path "${truncate(path, 300)}".`,
      })
    }
  return faults
}

/** Undefined for a schema that cannot be read, or whose types are nested too deeply. */
function unlessUnreadable<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (thrown) {
    if (thrown instanceof RangeError || thrown instanceof ProblemError) return undefined
    throw thrown
  }
}

/** The paths of a rule from the root of the document. */
function* pathsIn(
  rule: TextRule | EntryRule | ListRule,
  below: readonly string[],
): Generator<readonly string[]> {
  if ('choice' in rule) {
    const at = [...below, ...(rule.each?.names ?? [])]
    if (rule.each) yield at
    for (const each of rule.rules) yield* pathsIn(each, at)
  } else if ('members' in rule) {
    const at = [...below, ...(rule.each?.names ?? [])]
    if (rule.each) yield at
    for (const { path } of rule.where) yield [...at, ...path.names]
    for (const { rule: inner } of rule.members) yield* pathsIn(inner, at)
  } else if ('path' in rule) {
    const at = [...below, ...rule.path.names]
    yield at
    for (const { path } of rule.where) yield [...at, ...path.names]
  } else if ('first' in rule) for (const each of rule.first) yield* pathsIn(each, below)
  else if ('join' in rule) for (const each of rule.join) yield* pathsIn(each, below)
}
