import { nearestName } from '../../core/nearest-name.js'
import { malformedRequest } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'

/*
 * Existing clients send unknown query parameters and members of records, so the server ignores them, unless one looks
 * like a misspelling of a known name.
 */

/** Limit of the unknown names of a request that are compared with the known ones, which takes time. */
const maxCompared = 100

/** Checks the names of one request. */
export interface NameCheck {
  /**
   * Refuses an unknown name that is probably a misspelling of a known one.
   * @param known names that are allowed here
   * @param elsewhere names that are allowed in a similar place, so that they are not misspellings
   * @param where beginning of the message, such as `There is no parameter`
   * @throws ProblemError `malformed-request` for a misspelling; for a strict client, for every unknown name
   */
  refuseUnknown(name: string, known: ReadonlySet<string>, elsewhere: ReadonlySet<string>, where: string): void
}

/**
 * Begins the checks of one request, whose number of comparisons is limited.
 * @param strict refuses every unknown name, because the request asks for it
 */
export function openNameCheck(strict: boolean): NameCheck {
  /** Unknown names that were ignored before, by the set of names that are known in their place. */
  const ignored = new Map<ReadonlySet<string>, Set<string>>()
  let compared = 0
  return {
    refuseUnknown(name, known, elsewhere, where) {
      if (known.has(name) || ignored.get(known)?.has(name)) return
      const meant = elsewhere.has(name) || compared >= maxCompared ? undefined : nearestName(name, known)
      compared += 1
      if (meant !== undefined) throw malformedRequest(`${where} ${quoted(name)}; did you mean "${meant}"?`)
      if (strict) {
        throw malformedRequest(
          `${where} ${quoted(name)}, and the request asks for \`handling=strict\`. Known: ${[...known].sort().join(', ') || 'none'}.`,
        )
      }
      if (compared >= maxCompared) return
      const names = ignored.get(known)
      if (names) names.add(name)
      else ignored.set(known, new Set([name]))
    },
  }
}

function quoted(name: string): string {
  return `"${truncate(name)}"`
}
