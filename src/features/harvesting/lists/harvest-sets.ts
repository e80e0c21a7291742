import type { HistoryPoint } from '../../../core/history-point.js'
import type { DocumentType } from '../../../core/records/collection.js'
import { ownSetGroups } from '../../../store/repository/metastore-json.js'
import type { HarvestQuery } from '../rows/harvest-query.js'
import type { SetNumber } from '../rows/membership-sql.js'

/** Selects the records of a list that have a format or are in a set. */
export interface Selection extends Pick<HarvestQuery, 'schemaIds' | 'documentTypes'> {
  /** The name of a set that a stored search defines. There may be no set of that name. */
  readonly storedSet?: string
}

/** The schema id and the document type of a record, which decide about its sets, and the stored sets that it is in. */
export interface Placement {
  readonly schema: string
  readonly type: string
  readonly storedSets: readonly string[]
}

/** The general resource type of every record. @see docs/contract.md#record-members */
const generalType = 'MODEL'

const documentTypes: readonly DocumentType[] = ['JSON', 'XML']

export interface HarvestSet {
  readonly spec: string
  readonly name: string
}

/** The sets that do not depend on the schemas. `schema`, `type` and `resourcetype` contain the sets below them. */
export const fixedSets: readonly HarvestSet[] = [
  { spec: 'default', name: 'All records' },
  { spec: 'type', name: 'Records by the type of their document' },
  ...documentTypes.map(type => ({ spec: `type:${type.toLowerCase()}`, name: `${type} documents` })),
  { spec: 'resourcetype', name: 'Records by their general resource type' },
  { spec: `resourcetype:${generalType}`, name: `Resource type ${generalType}` },
  { spec: 'schema', name: 'Records by the schema of their document' },
]

export function schemaSet(id: string, title: string): HarvestSet {
  return { spec: `schema:${id}`, name: title === id ? `Schema ${id}` : `${title} (schema ${id})` }
}

/** The records of a set; undefined if there can be no such set. */
export function selectionOfSet(spec: string): Selection | undefined {
  const [group, member] = splitAtColon(spec)
  if (member === undefined)
    return (ownSetGroups as readonly string[]).includes(group) ? {} : { storedSet: spec }
  if (group === 'schema') return { schemaIds: [member] }
  if (group === 'resourcetype') return member === generalType ? {} : undefined
  const type = documentTypes.find(each => each.toLowerCase() === member)
  return group === 'type' && type ? { documentTypes: [type] } : undefined
}

function splitAtColon(spec: string): readonly [group: string, member?: string] {
  const colon = spec.indexOf(':')
  return colon < 0 ? [spec] : [spec.slice(0, colon), spec.slice(colon + 1)]
}

/** The records that are in both selections; undefined if there can be none. */
export function intersection(one: Selection, other: Selection): Selection | undefined {
  const schemaIds = common(one.schemaIds, other.schemaIds)
  const types = common(one.documentTypes, other.documentTypes)
  if (schemaIds?.length === 0 || types?.length === 0) return undefined
  const storedSet = one.storedSet ?? other.storedSet
  return {
    ...(schemaIds && { schemaIds }),
    ...(types && { documentTypes: types }),
    ...(storedSet !== undefined && { storedSet }),
  }
}

function common<T>(one: readonly T[] | undefined, other: readonly T[] | undefined): readonly T[] | undefined {
  return one && other ? one.filter(each => other.includes(each)) : (one ?? other)
}

/** The most specific sets that a record is in. A purged record is in the set `default` only: others are not known. */
export function setSpecsOf({ schema, type, storedSets }: Placement): readonly string[] {
  if (schema === '') return ['default']
  const own = ['default', `schema:${schema}`, `type:${type.toLowerCase()}`, `resourcetype:${generalType}`]
  return [...own, ...storedSets]
}

/** A point of the history up to which all revisions were compared with all sets. */
export interface ComparedState {
  /** Identifies the build of the catalog that the numbers belong to. */
  readonly identity: string
  readonly newest: HistoryPoint
  /** The numbers of the sets by name. */
  readonly numbers: ReadonlyMap<string, SetNumber>
}

/** Sets whose records are stored in the catalog. */
export interface StoredSetSource {
  /** The sets, without those that are known to be faulty. */
  list(): Promise<readonly HarvestSet[]>
  /**
   * Waits until new revisions have been compared with the sets. The comparison goes on after the wait.
   * @param milliseconds limit of the wait; `brief`: a moment, or no wait while there is much to compare
   * @returns undefined if there is no set, or no commit; `behind` if the wait ended before the comparison
   * @throws ProblemError `unavailable` if the comparison fails
   */
  compared(
    milliseconds: number | 'brief',
    signal: AbortSignal | undefined,
  ): Promise<ComparedState | 'behind' | undefined>
}

export const noStoredSets: StoredSetSource = { list: async () => [], compared: async () => undefined }
