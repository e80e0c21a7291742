import type { Finding } from '../../core/problem.js'
import type { CheckedSchema } from '../../service/rules/record-hooks.js'
import type { Crosswalk, CrosswalkFault } from './crosswalk/crosswalk-rules.js'
import { readCrosswalk } from './crosswalk/read-crosswalk.js'
import { impossiblePaths } from './schema-paths/impossible-paths.js'

/** A crosswalk without the rules that cannot be read, and what is wrong in it. */
interface CheckedCrosswalk {
  readonly crosswalk: Crosswalk
  readonly faults: readonly CrosswalkFault[]
}

/**
 * Reads a crosswalk, and finds rules that cannot be read, or else paths that no document of the schema can have.
 * @param bundle gives the schema whose documents the crosswalk describes
 */
export async function crosswalkWithFaults(
  json: unknown,
  bundle: CheckedSchema['bundle'],
): Promise<CheckedCrosswalk> {
  const { crosswalk, faults } = readCrosswalk(json)
  return {
    crosswalk,
    faults: faults.length > 0 ? faults : await impossiblePaths(crosswalk, await bundle()),
  }
}

/** Finds faults in the crosswalk of a schema, for every way in which a record of a schema is stored. */
export async function checkCrosswalk({ record, before, bundle }: CheckedSchema): Promise<readonly Finding[]> {
  const { crosswalk } = record
  // A crosswalk that is stored stays, whatever becomes of the schema: former documents may need it.
  if (crosswalk === undefined || JSON.stringify(crosswalk) === JSON.stringify(before?.crosswalk)) return []
  const { faults } = await crosswalkWithFaults(crosswalk, bundle)
  return faults.map(({ pointer, message }) => ({ message, path: `/crosswalk${pointer}` }))
}
